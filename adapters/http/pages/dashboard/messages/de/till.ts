import type { TillStates, TillWords } from '../en/till.ts'

/** What the till says, in German. */
export const tillWords: TillWords = {
  title: 'Kasse',
  ways: 'Wege der Kasse',
  keypad: 'Tastenfeld',
  dashboard: 'Dashboard',
  amount: (currency) => `Betrag in ${currency}`,
  keys: 'Tasten',
  erase: 'Letzte Ziffer löschen',
  note: 'Notiz für den Käufer (freiwillig)',
  charge: 'Kassieren',
  store: 'Filiale',
  choose: 'Wählen',
  noAmount: 'Geben Sie einen Betrag ein, der mehr als nichts ist, etwa 12,50.',
  places: (digits) =>
    digits === 0
      ? 'Diese Währung hat keine Stellen hinter dem Komma: Geben Sie eine ganze Zahl ein.'
      : `Diese Währung hat ${digits} Stellen hinter dem Komma: Geben Sie nicht mehr ein.`,
  sentBefore:
    'Dieser Verkauf wurde schon mit anderen Werten angelegt. Sehen Sie nach, was hier steht, und kassieren Sie noch einmal.',
  scan: 'Lassen Sie den Käufer diesen Code scannen.',
  code: (price) => `Code der Seite, auf der ${price} bezahlt werden`,
  receipt: 'Der Beleg des Käufers: Lassen Sie ihn den Code scannen.',
  receiptCode: 'Code des Belegs',
  open: 'Öffnen, was der Käufer sieht',
  confirmed: (now, needed) => `${now} von ${needed} Bestätigungen`,
  came: 'Eingegangen',
  missing: 'Es fehlen noch',
  partCame: 'Ein Teil war eingegangen. Er wartet unter „Nicht zugeordnet“, wenn niemand den Rest bezahlt.',
  until: 'Zahlbar bis',
  cancel: 'Verkauf abbrechen',
  cancelAbout: 'Der Code nimmt keine Zahlung mehr an. Was vorher gesendet wurde, wird noch gesehen.',
  again: 'Noch einmal anfragen',
  next: 'Nächster Verkauf',
  payment: 'Zahlung öffnen',
  look: 'Noch einmal nachsehen',
  offline: 'Sie sind offline. Bis das Netz wieder da ist, geht kein Verkauf; was Sie eingegeben haben, bleibt.',
  offlineHere: 'Sie sind offline. Was hier steht, kann sich geändert haben, und es geht kein Verkauf.',
  amountTyped: 'Betrag',
  retry: 'Noch einmal versuchen',
  today: 'Heute',
  salesIn: (count) => (count === 1 ? '1 bezahlter Verkauf' : `${count} bezahlte Verkäufe`),
  takenIn: (coin) => `Davon in ${coin}`,
  noSales: 'An dieser Kasse wurde heute nichts kassiert.',
  products: 'Produkte',
  search: 'Suche',
  find: 'Finden',
  noProducts: 'Ein solches Produkt steht nicht in den Listen dieser Filiale. Geben Sie am Tastenfeld einen Betrag ein.',
  gone: 'ausverkauft',
  left: (count) => `noch ${count}`,
  noPieces: 'Sagen Sie von mindestens einem Produkt, wie viele es sind.',
  wrongPieces: (max) => `Geben Sie die Stückzahl als ganze Zahl von 1 bis ${max} an.`,
}

/** What has become of a sale: in a word, and in a sentence. */
export const tillStates: TillStates = {
  waiting: ['Wartet auf die Zahlung', 'Der Käufer wählt den Coin.'],
  seen: ['Gesehen', 'Die Zahlung ist unterwegs. Sie zählt, sobald die Chain sie bestätigt hat.'],
  underpaid: ['Noch nicht alles', 'Der Käufer zahlt den Rest mit demselben Code.'],
  paid: ['Bezahlt', 'Das Geld gehört Ihnen.'],
  expired: [
    'Die Zeit ist um',
    'Niemand hat rechtzeitig bezahlt. Fragen Sie noch einmal an, wenn der Käufer noch da ist.',
  ],
  canceled: ['Abgebrochen', 'Der Code nimmt keine Zahlung mehr an.'],
  soldOut: ['Ausverkauft', 'Das letzte Stück hat inzwischen jemand anders bekommen.'],
}
