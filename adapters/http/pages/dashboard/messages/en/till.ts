/** What the till says, in English. */
export const tillWords = {
  title: 'Till',
  ways: 'Ways of the till',
  keypad: 'Keypad',
  dashboard: 'Dashboard',
  amount: (currency: string) => `Amount in ${currency}`,
  keys: 'Keys',
  erase: 'Erase the last digit',
  note: 'Note for the buyer (optional)',
  charge: 'Charge',
  store: 'Store',
  choose: 'Choose',
  noAmount: 'Type an amount that is more than nothing, such as 12.50.',
  places: (digits: number) =>
    digits === 0
      ? 'This currency has no places after the point: type a whole number.'
      : `This currency has ${digits} places after the point: type no more.`,
  sentBefore: 'This sale was asked for already, with other values. Look at what is typed here, and charge again.',
  scan: 'Let the buyer scan this code.',
  code: (price: string) => `Code of the page on which ${price} is paid`,
  receipt: 'The buyer’s receipt: let them scan it.',
  receiptCode: 'Code of the receipt',
  open: 'Open what the buyer sees',
  confirmed: (now: number, needed: number) => `${now} of ${needed} confirmations`,
  came: 'Came',
  missing: 'Still missing',
  partCame: 'A part had come. It waits under Unmatched, if nobody pays the rest.',
  until: 'Payable until',
  cancel: 'Cancel the sale',
  cancelAbout: 'The code takes no payment any more. What was sent before is still seen.',
  again: 'Ask again',
  next: 'Next sale',
  payment: 'Open the payment',
  look: 'Look again',
  offline: 'You are offline. No sale can be made until the network is back; what you have typed stays.',
  offlineHere: 'You are offline. What stands here may have changed meanwhile, and no sale can be made.',
  amountTyped: 'Amount',
  retry: 'Try again',
  today: 'Today',
  salesIn: (count: number) => (count === 1 ? '1 sale paid' : `${count} sales paid`),
  takenIn: (coin: string) => `Of it in ${coin}`,
  noSales: 'Nothing was charged at this till today.',
  products: 'Products',
  search: 'Search',
  find: 'Find',
  noProducts: 'There is no such product in the lists of this store. Type an amount at the keypad instead.',
  gone: 'sold out',
  left: (count: number) => `${count} left`,
  noPieces: 'Say how many of at least one product.',
  wrongPieces: (max: number) => `Say how many pieces as a whole number from 1 to ${max}.`,
}

export type TillWords = typeof tillWords

/** What has become of a sale: in a word, and in a sentence. */
export const tillStates = {
  waiting: ['Waiting for the payment', 'The buyer chooses the coin.'],
  seen: ['Seen', 'The payment is on its way. It counts once the chain has confirmed it.'],
  underpaid: ['Not all of it yet', 'The buyer pays the rest by the same code.'],
  paid: ['Paid', 'The money is yours.'],
  expired: ['Time is up', 'Nobody has paid in time. Ask again if the buyer is still here.'],
  canceled: ['Canceled', 'The code takes no payment any more.'],
  soldOut: ['Sold out', 'The last piece went to somebody else meanwhile.'],
}

export type TillStates = typeof tillStates
