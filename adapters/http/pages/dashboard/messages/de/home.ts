import type { homeWords as en, matterWays as enWays } from '../en/home.ts'

/** What the first page says, in German. */
export const homeWords: typeof en = {
  title: 'Übersicht',
  greeting: (name) => `Guten Tag, ${name}`,
  unconfirmed: (email) =>
    `Wir haben einen Brief an ${email} geschickt. Öffnen Sie den Link darin, um die Adresse zu bestätigen.`,
  period: 'Zeitraum',
  today: 'Heute',
  '7d': '7 Tage',
  '30d': '30 Tage',
  testShown: 'Testverkäufe werden gezeigt. Dafür ist kein Geld geflossen.',
  showTest: 'Testverkäufe zeigen',
  showLive: 'Echte Verkäufe zeigen',
  figures: 'Zahlen',
  sold: 'Verkauft',
  sales: (count, isOne) => (isOne ? '1 Verkauf' : `${count} Verkäufe`),
  settled: 'Eingegangen',
  settledText: 'Was dafür kam, zum Kurs jedes Verkaufs',
  refunded: (amount) => `${amount} wurden zurückgegeben`,
  fees: 'Gebühren',
  gas: (amount) => `davon ${amount} für Gas`,
  noGas: 'Davon nichts für Gas',
  platformAlone: 'Ohne Gas, das nur für das ganze Konto gezählt wird',
  credit: 'Guthaben',
  daysLeft: (days, isOne) =>
    isOne
      ? 'Reicht noch 1 Tag, gemessen an den letzten 30 Tagen'
      : `Reicht noch ${days} Tage, gemessen an den letzten 30 Tagen`,
  noDaysLeft: 'Reicht keinen Tag mehr, gemessen an den letzten 30 Tagen',
  nothingCharged: 'In den letzten 30 Tagen wurde nichts abgezogen',
  addCredit: 'Guthaben kaufen',
  chart: 'Verkauft nach Tag und Coin, in US-Dollar',
  day: 'Tag',
  byCoin: 'Nach Coin',
  coin: 'Coin und was darin kam',
  count: 'Verkäufe',
  others: 'Andere',
  card: (currency) => `Karte, ${currency}`,
  zone: (zone) => `Die Tage sind die der Zeitzone ${zone}.`,
  nothing: 'In diesem Zeitraum wurde nichts verkauft',
  nothingText:
    'Verkäufe erscheinen hier, sobald sie bezahlt sind. Die ersten Schritte führen zu einer Wallet, einem Preis und einem Testverkauf.',
  firstSteps: 'Zu den ersten Schritten',
  matters: 'Was zu tun ist',
  noMatters: 'Es ist nichts zu tun.',
  unmatched: (count) => `Geld, das zu nichts gehört: ${count}. Sagen Sie, was es bezahlt, oder geben Sie es zurück.`,
  underpaid: (count) =>
    `Zu wenig bezahlt und vorbei: ${count}. Bitten Sie um den Rest und ordnen Sie ihn zu, oder geben Sie zurück, was kam.`,
  'webhooks-failed': (count) => `Zahlungen, deren Webhook fehlschlug: ${count}. Senden Sie ihn noch einmal.`,
  disputed: (count) => `Offene Einsprüche gegen Kartenzahlungen: ${count}. Antworten Sie bei Ihrem Kartenanbieter.`,
  'low-credit': 'Das Guthaben geht zu Ende. Was es nicht deckt, wird geschuldet.',
  'chains-behind': (networks) =>
    `Zahlungen erscheinen vielleicht später, weil diese Netze zurückliegen: ${networks}. Eine Wallet lässt sich solange pausieren.`,
  payment: (id) => `Zahlung ${id}`,
  more: (count) => `${count} oder mehr`,
  topUp: 'Guthaben kaufen',
  topUpText:
    'Gebühren werden von Guthaben genommen, das Sie vorher kaufen. Sie zahlen wie Ihre eigenen Käufer, und es zählt, sobald die Zahlung bestätigt ist.',
  topUpAmount: 'Betrag in US-Dollar',
  topUpButton: 'Weiter',
  topUpReady: (amount) => `Guthaben über ${amount} kann jetzt bezahlt werden. Die Adresse gilt 24 Stunden.`,
  topUpPay: 'Bezahlen',
  back: 'Zur Übersicht',
}

export const matterWays: typeof enWays = {
  unmatched: 'Dieses Geld ansehen',
  underpaid: 'Abgelehnte Zahlungen zeigen',
  'webhooks-failed': 'Alle Zahlungen zeigen',
  disputed: 'Alle Zahlungen zeigen',
  'low-credit': 'Guthaben kaufen',
  'chains-behind': 'Zu den Wallets',
}
