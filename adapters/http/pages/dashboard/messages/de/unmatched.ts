import type {
  ignoreReasons as enIgnore,
  candidateReasons as enReasons,
  refusedReturns as enRefused,
  unmatchedWords as enWords,
} from '../en/unmatched.ts'

/** What the screens of money that settles nothing say, in German. */
export const unmatchedWords: typeof enWords = {
  title: 'Nicht zugeordnet',
  one: 'Nicht zugeordnetes Geld',
  about:
    'Geld, das auf Ihren Adressen ankam und nichts begleicht. Sagen Sie, was es bezahlt, vermerken Sie, dass Sie es zurückgeschickt haben, oder lassen Sie es, wie es ist.',
  filters: 'Die Liste eingrenzen',
  search: 'Suche',
  state: 'Stand',
  open: 'Zu tun',
  ignored: 'Ignoriert',
  returned: 'Zurückgegeben',
  all: 'Alle',
  reason: 'Warum',
  late: 'Kam zu spät',
  doubled: 'Kam doppelt',
  sold_out: 'War ausverkauft',
  unmatched: 'Niemand hat es verlangt',
  coin: 'Coin',
  from: 'Von',
  to: 'Bis',
  csv: 'Als CSV herunterladen',
  when: 'Wann',
  amount: 'Betrag',
  sender: 'Von wem',
  status: 'Stand',
  hash: 'Hash',
  address: 'An welche Adresse',
  mined: 'In seinem Block',
  meantFor: 'Gemeint für',
  payment: (id) => `Zahlung ${id}`,
  none: 'Kein Geld wartet auf Sie',
  noneText:
    'Hier erscheint, was kommt und nichts begleicht. Alles, was bisher kam, bezahlt etwas, oder es ist erledigt.',
  toPayments: 'Zu den Zahlungen',
  noMatch: 'Nichts passt zu diesen Filtern',
  noMatchText: 'Nehmen Sie einen davon weg, oder zeigen Sie alles, was zu tun ist.',
  showOpen: 'Zeigen, was zu tun ist',
  noMore: 'Es gibt nichts Älteres',
  noMoreText: 'Das ist das Ende der Liste.',
  toNewest: 'Das Neueste zeigen',
  back: 'Zur Liste',
  facts: 'Was darüber bekannt ist',
  candidates: 'Wofür es gemeint sein kann',
  noCandidates:
    'Keine Zahlung, die in diesem Coin noch offen ist, sieht danach aus. Sie können eine Zahlung mit ihrer Nummer nennen, vermerken, dass Sie das Geld zurückgeschickt haben, oder es ignorieren.',
  asked: 'verlangt',
  missing: 'fehlt noch',
  acts: 'Was Sie tun können',
  match: 'Einer davon zuordnen',
  matchText:
    'Das Geld zählt für das, was Sie wählen, wann immer es kam und wie viel es ist. Das lässt sich nicht zurücknehmen.',
  'match-payment': 'Die Zahlung nennen, die es bezahlt',
  'match-paymentText':
    'Die Nummer einer Zahlung, die in demselben Coin noch offen ist. Das lässt sich nicht zurücknehmen.',
  paymentNumber: 'Nummer der Zahlung',
  matched: 'Das Geld zählt jetzt für diese Zahlung.',
  return: 'Vermerken, dass es zurückging',
  returnText: 'Daybook bewegt keine Coins: Schicken Sie das Geld selbst zurück, und vermerken Sie es dann hier.',
  returnAmount: 'Betrag im Coin',
  returnAmountHint: 'Lassen Sie es leer für alles, oder für das, was der Hash zeigt.',
  returnHash: 'Hash der Rückgabe',
  returnHashHint: 'Haben Sie sie schon gesendet, zeigt die Kette sie. Sie muss an den Absender des Geldes gehen.',
  returnNoted: 'Die Rückgabe ist vermerkt.',
  returnOf: 'Zurückgegeben',
  recorded: 'von Ihnen vermerkt',
  pending: 'wird auf ihrer Kette gesucht',
  sent: 'gesendet, wie ihre Kette zeigt',
  ignore: 'Ignorieren',
  ignoreText:
    'Es bleibt in Ihren Büchern unter den ungeklärten Posten und ist nicht mehr zu tun. Das lässt sich zurücknehmen, und zuordnen können Sie es auch später.',
  ignoreReason: 'Warum',
  ignoredDone: 'Es wird ignoriert.',
  reopen: 'Das zurücknehmen',
  reopenText: 'Es ist wieder zu tun, als wäre nichts darüber gesagt worden.',
  reopened: 'Es ist wieder zu tun.',
  ofAccount: 'Adressen gehören dem ganzen Konto, darum kümmert sich ein Mitglied aller Geschäfte darum.',
  byCard: 'Es wurde mit Karte bezahlt. Geben Sie es auf der Seite seiner Zahlung zurück.',
}

/** Why money may be meant for a payment. */
export const candidateReasons: typeof enReasons = {
  'hash-named': 'Genau dieser Hash wurde dafür genannt.',
  'amount-equal': 'Der Betrag ist genau der verlangte.',
  'rest-equal': 'Der Betrag ist genau der, der noch fehlt.',
  'same-sender': 'Ein Teil davon kam von demselben Absender.',
  'same-address': 'Es kam auf der Adresse dieser Zahlung an.',
  'in-time': 'Es kam, während dies verlangt war.',
  late: 'Es kam, nachdem dies geendet hatte.',
  part: 'Es ist weniger, als fehlt.',
}

/** Why the hash of a return was not taken. */
export const refusedReturns: typeof enRefused = {
  'payment-not-matching': 'Der genannte Hash sendet etwas anderes.',
  'transfer-taken': 'Der genannte Hash gibt eine andere Zahlung zurück.',
  'state-forbids': 'Der genannte Hash lässt sich nicht nachsehen.',
  'not-found': 'Niemand hat den genannten Hash innerhalb einer Woche gefunden.',
}

/** Why money is ignored. */
export const ignoreReasons: typeof enIgnore = {
  own: 'Meine eigenen Coins, umgebucht',
  small: 'Zu wenig, um sich zu lohnen',
  'settled-otherwise': 'Mit dem Käufer anders geregelt',
  spam: 'Nur geschickt, um aufzufallen',
  other: 'Ein anderer Grund',
}
