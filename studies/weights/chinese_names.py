"""Join Chinese names that UD treebanks split: 毛 泽东 becomes 毛泽东, as in CTB.

segmented sentences, their treebank -> sentences with full names as one word
"""

from pathlib import Path

from spacy_sentid.conllu.treebank import read_treebank
from spacy_sentid.files.atomic import open_output

# Surnames of one character, simplified. Many are also common words, so the tags are checked too.
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾萧肖田董袁潘于蒋蔡余杜叶程苏魏吕"
    "丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付傅方白邹孟熊秦邱江尹薛阎段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃"
    "武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申耿关兰焦俞左柳甘祝包宁尚符舒阮纪梅"
    "童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳穆农司卓古吉缪简车项"
    "连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖"
    "巩佘池查麻苑迟官封谈匡鞠惠荆乐冀郁胥储栗燕楚鄢劳谌皮粟冼蔺楼盘满闻位厉仝区郜海阚花权强帅屠豆朴盖"
    "练廉禹井祖漆巴丰卿狄平计索宣晋相初门云容敬来扈晁芮都普阙浦伏鹿薄邸雍辜羊阿母裘亓修邰赫杭况那宿鲜"
    "印逯隆茹诺战慕危玉银亢嵇哈湛宾戎习"
)
MAX_GIVEN = 2  # characters of a given name


def join_names(words: list[str], tags: list[str]) -> list[str]:
    """Join each surname with the given name after it, if both are tagged PROPN.

    >>> join_names(["毛", "泽东", "在", "北京"], ["PROPN", "PROPN", "ADP", "PROPN"])
    ['毛泽东', '在', '北京']
    """
    joined: list[str] = []
    is_surname = False
    for word, tag in zip(words, tags, strict=True):
        is_name = tag == "PROPN" and word.isalpha() and not word.isascii()
        if is_surname and is_name and len(word) <= MAX_GIVEN:
            joined[-1] += word
            is_surname = False
        else:
            joined.append(word)
            is_surname = is_name and word in SURNAMES
    return joined


def write_joined(segmented: Path, treebank: Path, target: Path) -> Path:
    """Write segmented text, with each full name as one word.

    treebank: The same sentences and words with tags. The characters may be traditional.
    """
    lines = segmented.read_text(encoding="utf8").splitlines()
    with open_output(target) as file:
        for line, unit in zip(lines, read_treebank(treebank), strict=True):
            tags = [word.upos for word in unit.words]
            file.write(" ".join(join_names(line.split(), tags)) + "\n")
    return target
