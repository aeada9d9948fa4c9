import { automaticOrder, sellersCredit, standingOrder, topUp } from './mixed-scene.ts'
import { coins, type Kind, minus } from './mixed-table.ts'

/** What users, apps and sellers have at the platform, over a month: orders that are debited, and what is bought. */
export const balanceKinds: Readonly<Record<string, Kind>> = {
  'a standing order': {
    // Four dollars and a half from the user to the app, and two of them back.
    expected: [
      ['user', 'assets:balance', 'USD', '-2.5'],
      ['user', 'expenses:payments', 'USD', '4.5'],
      ['user', 'income:pushes', 'USD', '-2'],
      ['app', 'assets:credit', 'USD', '2.5'],
      ['app', 'income:payments', 'USD', '-4.5'],
      ['app', 'expenses:pushes', 'USD', '2'],
      ['platform', 'liabilities:balances:USER', 'USD', '2.5'],
      ['platform', 'liabilities:credit:APP', 'USD', '-2.5'],
    ],
    play: standingOrder,
  },
  'a top-up': {
    // Twenty dollars' worth of Ether come to the platform, which owes them to the user.
    expected: [
      ['user', 'assets:balance', 'USD', '20'],
      ['user', 'equity:owner', 'USD', '-20'],
      ['platform', 'assets:receipts', 'eth', coins('topUp'), '20'],
      ['platform', 'equity:conversion', 'eth', minus('topUp'), '-20'],
      ['platform', 'equity:conversion', 'USD', '20'],
      ['platform', 'liabilities:balances:USER', 'USD', '-20'],
    ],
    play: topUp,
  },
  'an automatic standing order': {
    // Three dollars a week from the user to the app, taken by Daybook itself: at the approval, and a week later.
    expected: [
      ['user', 'assets:balance', 'USD', '-6'],
      ['user', 'expenses:payments', 'USD', '6'],
      ['app', 'assets:credit', 'USD', '6'],
      ['app', 'income:payments', 'USD', '-6'],
      ['platform', 'liabilities:balances:USER', 'USD', '6'],
      ['platform', 'liabilities:credit:APP', 'USD', '-6'],
    ],
    play: automaticOrder,
  },
  "a seller's credit": {
    // Ten dollars' worth of Ether come to the platform, which owes them to the seller. Nothing is charged for it.
    expected: [
      ['seller', 'assets:credit', 'USD', '10'],
      ['seller', 'equity:owner', 'USD', '-10'],
      ['platform', 'assets:receipts', 'eth', coins('credit'), '10'],
      ['platform', 'equity:conversion', 'eth', minus('credit'), '-10'],
      ['platform', 'equity:conversion', 'USD', '10'],
      ['platform', 'liabilities:credit:SELLER', 'USD', '-10'],
    ],
    play: sellersCredit,
  },
}
