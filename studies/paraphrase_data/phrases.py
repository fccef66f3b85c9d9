"""Tables of English phrases with the same meaning, and of words that contrast with each other."""

from spacy_sentid.paraphrase_tagger.matching.words import UNITS

# Phrases on the same line can replace each other unchanged.
SAME_PHRASES = tuple(
    tuple(tuple(phrase.split()) for phrase in line.split(" | "))
    for line in """\
in order to | so as to
because of | due to | as a result of | owing to
because | since | as
a lot of | lots of | a great deal of | plenty of
many | numerous | a large number of
several | a number of
more than | over | in excess of | upwards of
about | around | approximately | roughly | some
at least | no fewer than | not less than
less than | fewer than | under
almost | nearly | close to
however | nevertheless | still
also | as well | too
although | though | even though
but | yet
such as | like | including
near | close to | not far from
children | kids
people | persons
last year | the previous year | a year ago
this year | in the current year
right now | at the moment | currently | at present | now
so far | until now | up to now
every year | each year | annually
every day | each day | daily
in the past | previously | formerly
before | prior to | ahead of
after | following
during | in the course of | in
until | till | up to
if | in case | provided that
about | concerning | regarding | with regard to | on the subject of
for example | for instance
in fact | actually | as a matter of fact
of course | naturally | certainly
maybe | perhaps | possibly
very | extremely | really | highly
quickly | fast | rapidly
often | frequently | a lot
sometimes | at times | now and then | occasionally
always | at all times | every time
again | once more | one more time
together | jointly
instead of | rather than | in place of
without | with no
while | whereas
when | at the time when
where | in which
who | that
can | is able to
could | was able to
must | has to | needs to
should | ought to
will | is going to | is set to
would like to | want to
may | might
want to | wish to | would like to
have to | need to | must
a couple of | two
a third | one third
a quarter | one quarter | 25 percent
double | twice
a dozen | twelve
in the morning | a.m.
in the evening | p.m.
the United States | the US | America
the United Kingdom | the UK | Britain
the European Union | the EU
the United Nations | the UN
President | Pres.
company | firm | corporation
firms | companies | corporations
movie | film
car | automobile
job | position | post
place | spot | location
problem | trouble | difficulty
area | region | zone
doctor | physician
lawyer | attorney
police | police officers | the police
big | large | great
small | little
begin | start
everyone | everybody | all people
someone | somebody
immediately | at once | right away | straight away
suddenly | all of a sudden
finally | in the end | at last | eventually
especially | in particular | particularly
mostly | for the most part | mainly | largely
important | significant | of importance
famous | well-known | renowned
probably | most likely | in all likelihood
obviously | clearly | of course
according to | in the words of
as soon as | the moment
as long as | so long as
in front of | before
inside | within | in
across | throughout
between | among
worldwide | around the world | all over the world
wonderful | great | fantastic
""".splitlines()
)
# Lemmas of verbs, some with a particle. The first word is inflected.
SAME_VERBS = tuple(
    tuple(tuple(phrase.split()) for phrase in line.split(" | "))
    for line in """\
find out | discover | learn
set up | establish | found
carry out | conduct | perform
put off | postpone | delay
call off | cancel
look for | search for | seek
get rid of | remove | dispose of
give up | quit | abandon
make up | form | constitute
turn down | reject | refuse
go on | continue | carry on
point out | note | mention
show up | appear | turn up
take place | happen | occur
take part in | participate in | join in
buy | purchase | acquire
start | begin | commence
end | finish | conclude
help | assist | aid
need | require | call for
get | obtain | receive
ask | inquire
ask for | request
tell | inform
say | state | remark
show | demonstrate | reveal
try | attempt
use | employ | make use of
think | believe | feel
want | wish | desire
like | enjoy | be fond of
die | pass away
kill | put to death | slay
leave | depart from | go away from
arrive | come | get there
visit | pay a visit to
decide | make a decision | make up its mind
meet | come together with | get together with
build | construct | put up
choose | pick | select | opt for
fix | repair | mend
send | mail | dispatch
keep | retain | hold on to
return | come back | go back
rise | climb | go up | increase
fall | drop | go down | decline
grow | increase | get bigger
allow | permit | let
stop | halt | put an end to
prevent | keep from
hurt | injure | wound
talk to | speak to | speak with
consider | think about
change | alter | modify
close | shut
answer | reply to | respond to
watch | look at
see | notice | catch sight of
understand | grasp | get
suggest | propose
explain | make clear | account for
increase | raise | boost
reduce | cut | lower | bring down
include | contain | take in
provide | supply | offer
create | make | produce
destroy | wreck | ruin
attack | assault
arrest | detain | take into custody
own | possess | have
live in | reside in | inhabit
work for | be employed by
lead | head | be at the head of
run | manage | operate
announce | declare | make public
complain about | grumble about
recommend | advise
hate | detest
rely on | depend on | count on
deal with | handle | cope with
pick up | collect
throw away | discard
contact | get in touch with
hire | take on | employ
fire | dismiss | sack
win | come first in
beat | defeat
move | relocate
pay for | cover the cost of
cause | lead to | bring about | result in
""".splitlines()
)
CONTRACTIONS = {
    "n't": "not", "'ll": "will", "'re": "are", "'ve": "have", "'m": "am",
    "not": "n't", "will": "'ll", "are": "'re", "have": "'ve", "am": "'m",
}  # fmt: skip
OTHER_FORMS = {
    "%": ("percent", "per cent"), "percent": ("%",), "&": ("and",), "u.s.": ("US",),
    "us$": ("$",), "dollars": ("USD",), "tv": ("television",), "television": ("TV",),
    "mr": ("Mister",), "ok": ("okay",), "photo": ("picture",), "info": ("information",),
    "phone": ("telephone",), "email": ("e-mail",), "e-mail": ("email",),
}  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
OTHER_FORMS |= {
    name.lower(): (f"{name[:3]}.", name[:3]) for name in (*DAYS, *MONTHS) if len(name) > 3
}
NUMBER_WORDS = tuple(UNITS.split())
# Words that exclude each other. Replacing one with another on its line changes the meaning.
EXCLUSIVE = tuple(
    tuple(line.split())
    for line in """\
spring summer autumn winter
morning afternoon evening night
yesterday today tomorrow
last this next
before after
above below
up down
inside outside
with without
over under
north south east west
northern southern eastern western
left right
first second third fourth fifth
all some no
always never rarely often
more less
many few
most least
everything nothing
everyone nobody
everywhere nowhere
early late
day week month year decade
daily weekly monthly yearly
minute hour
million billion thousand
red blue green yellow black white brown
father mother son daughter brother sister uncle aunt
husband wife
man woman boy girl
men women
he she
his her
Asia Africa Europe America Australia
dog cat horse bird
""".splitlines()
)
# Pairs of verbs, each with its preposition: "A beat B" means "B lost to A", and the reverse.
CONVERSES = (
    ("beat", "", "lose", "to"),
    ("defeat", "", "lose", "to"),
    ("precede", "", "follow", ""),
    ("own", "", "belong", "to"),
    ("lead", "to", "result", "from"),
    ("cause", "", "result", "from"),
    ("teach", "", "learn", "from"),
    ("employ", "", "work", "for"),
    ("include", "", "belong", "to"),
    ("inherit", "from", "leave", "to"),
)
# Adjectives that are the negation of each other: "not clear" is "unclear".
COMPLEMENTS = {
    "clear": "unclear", "true": "false", "possible": "impossible", "happy": "unhappy",
    "likely": "unlikely", "legal": "illegal", "able": "unable", "known": "unknown",
    "certain": "uncertain", "fair": "unfair", "safe": "unsafe", "right": "wrong",
    "open": "closed", "correct": "incorrect", "available": "unavailable", "usual": "unusual",
    "necessary": "unnecessary", "important": "unimportant", "friendly": "unfriendly",
    "present": "absent", "alive": "dead", "complete": "incomplete", "reliable": "unreliable",
    "professional": "unprofessional", "acceptable": "unacceptable", "aware": "unaware",
    "willing": "unwilling", "reasonable": "unreasonable", "comfortable": "uncomfortable",
    "familiar": "unfamiliar", "satisfied": "dissatisfied", "valid": "invalid",
    "regular": "irregular", "responsible": "irresponsible", "polite": "impolite", 
}  # fmt: skip
