import type { activityWords as en, actorKinds as enActors, actKinds as enKinds } from '../en/activity.ts'

/** What the screen of activity says, in German. */
export const activityWords: typeof en = {
  title: 'Vorgänge',
  about:
    'Was Menschen und Schlüssel in diesem Konto getan haben. Was aus Zahlungen oder mit der Zeit folgt, ist kein Vorgang. Anmeldungen stehen hier nicht.',
  filters: 'Die Liste eingrenzen',
  search: 'Suche',
  kind: 'Worum es geht',
  all: 'Alle',
  who: 'Wer',
  actor: 'Kennung der Person oder des Schlüssels',
  subject: 'Woran',
  subjectHint: 'Ein Coin, ein Geschäft, eine Zahlung oder eine andere Kennung',
  from: 'Von',
  to: 'Bis',
  csv: 'Als CSV herunterladen',
  when: 'Wann',
  act: 'Was',
  network: 'Von wo',
  none: 'Noch wurde nichts getan',
  noneText: 'Hier erscheint, was Menschen und Schlüssel in diesem Konto tun.',
  firstSteps: 'Zu den ersten Schritten',
  noMatch: 'Nichts passt zu diesen Filtern',
  noMatchText: 'Nehmen Sie einen davon weg, oder zeigen Sie alles.',
  showAll: 'Alles zeigen',
  noMore: 'Es gibt nichts Älteres',
  noMoreText: 'Das ist das Ende der Liste.',
  toNewest: 'Das Neueste zeigen',
  you: 'Sie',
}

/** What acts are about, in German. */
export const actKinds: typeof enKinds = {
  account: 'Das Konto',
  keys: 'Schlüssel',
  people: 'Menschen und ihre Anmeldung',
  wallets: 'Wallets',
  settings: 'Einstellungen',
  stores: 'Geschäfte',
  shop: 'Der Laden',
  selling: 'Was verkauft wird',
  payments: 'Zahlungen',
  billing: 'Abrechnung',
}

/** Who acts, in German. */
export const actorKinds: typeof enActors = {
  'owner-key': 'Der Inhaberschlüssel oder ein Testschlüssel',
  member: 'Ein Mitglied',
  'sub-key': 'Ein Unterschlüssel',
  'store-key': 'Der Schlüssel eines Geschäfts',
  operator: 'Der Betreiber des Dienstes',
  anonymous: 'Jemand ohne Schlüssel',
}
