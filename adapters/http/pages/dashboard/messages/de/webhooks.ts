import type { webhookWords as english } from '../en/webhooks.ts'

/** What the pages say of webhooks as they were sent and received, in German. */
export const webhookWords: typeof english = {
  title: 'Eingebauter Empfänger',
  about:
    'Das bekäme ein Programm von Ihnen bei jedem Testverkauf: den Inhalt, wie er gesendet wurde, seine Kopfzeilen und seine Signatur. Echte Verkäufe werden hier nie gemeldet.',
  bounds: (count, days) => `Gezeigt werden die neuesten ${count} der letzten ${days} Tage.`,
  off: 'Der eingebaute Empfänger ist nicht gewählt, darum kommt hier nichts mehr an. Sie können ihn bei den ersten Schritten wählen.',
  none: 'Es ist noch nichts gekommen',
  noneText: 'Machen Sie einen Testverkauf und bezahlen Sie ihn. Was ein Programm dann bekäme, steht hier von selbst.',
  right: 'Signatur richtig',
  wrong: 'Signatur falsch',
  unsigned: 'Keine Signatur',
  underWay: 'Unterwegs',
  unsignedText:
    'Es gab kein Webhook-Geheimnis, um zu signieren. Wählen Sie den eingebauten Empfänger erneut, dann gibt es eines.',
  payment: 'Die Zahlung ansehen',
  sent: 'Was gesendet wurde',
  headers: 'Kopfzeilen',
  body: 'Inhalt',
  signature: 'Signatur',
  same: 'Das sind genau die gesendeten Bytes: Ihr Prüfwert ist der, der damals vermerkt wurde.',
  likely: 'Aus den Tatsachen von damals neu gemacht. Noch ist kein Prüfwert vermerkt, der es beweist.',
  erased: 'Was darin von einem Menschen stand, wurde seither gelöscht; das ist also nicht alles, was gesendet wurde.',
  different: 'Das ist nicht, was gesendet wurde: Das hat eine andere Version gemacht.',
  tooLong: 'Der Inhalt ist zu lang, um gezeigt zu werden.',
  gone: 'Die Transaktion ist fort und mit ihr der Inhalt.',
  check: 'Wie ein Programm die Signatur prüft',
  checkText:
    'Nehmen Sie den Inhalt, wie er kam, bevor etwas ihn als JSON liest. Setzen Sie die Zeit aus der Kopfzeile und einen Punkt davor, bilden Sie daraus mit Ihrem Webhook-Geheimnis den HMAC-SHA256 und vergleichen Sie ihn in gleichbleibender Zeit mit v1. Weisen Sie eine Zeit ab, die um mehr als 300 Sekunden abweicht. Nehmen Sie jede Ereignisnummer einmal an und antworten Sie sofort mit 2xx.',
  secretText:
    'Das Geheimnis sehen Sie, wenn Sie die Adresse Ihres Programms speichern, oder durch POST /v1/webhook mit rotate_secret. Es gehört in keine Webseite.',
  toSteps: 'Zurück zu den ersten Schritten',
  use: 'Eingebauten Empfänger nutzen',
  useText: 'Noch kein Programm? Sehen Sie hier, was Ihres bei einem Testverkauf bekäme, mit Signatur.',
  without: 'Ohne Webhook weitermachen',
  withoutText: 'Ihre Zahlungen sehen Sie hier in jedem Fall.',
  usesBuiltIn: 'Testverkäufe werden dem eingebauten Empfänger gemeldet.',
  usesNone: 'Sie haben gewählt, ohne Webhook auszukommen.',
  see: 'Ansehen, was kam',
  change: 'Ändern',
}
