/** What the dashboard says of closing an account, in English; `closing-de.ts` has the same shape. */
export const closingWords = {
  title: 'Close the account',
  means: 'What closing means',
  keys: 'Every key, of people, programs and stores, ends at once, and everybody is signed out. Nobody can open the account again.',
  sales: 'Your links, shop and pages sell nothing any more.',
  wallets: 'Your wallets are yours, as they always were: Daybook holds none of your coins.',
  credit: 'Left of your credit:',
  creditText:
    'It stays in the books of this account and pays for nothing more. Ask whoever runs this service to give it back before you close.',
  webhooks: 'What is not yet told by webhook is still tried, as long as it would be otherwise.',
  data: 'The ledger keeps its events, which prove the past of buyers and books alike. Save what you need before: afterwards no key reads it.',
  address:
    'Your email address stays with the closed account, and is not free for a new one. Whoever runs this service can erase personal data.',
  csv: 'Save every payment as CSV',
  ledger: 'Read and export the ledger',
  obstacles: 'This stands against closing now',
  payments: (count: number): string => (count === 1 ? '1 open payment' : `${count} open payments`),
  paymentsText:
    'that buyers may still make, or that wait to be confirmed. Pause your wallets, so that no new ones begin, and wait.',
  until: 'What nobody pays ends at the latest on',
  refunds: (count: number): string => (count === 1 ? '1 refund' : `${count} refunds`),
  refundsText: 'that you owe: recorded, and not seen on the chain. Send the coins, and enter the hash at the payment.',
  disputes: (count: number): string => (count === 1 ? '1 dispute' : `${count} disputes`),
  disputesText: 'of card payments, which the processor has not decided.',
  owed: 'Fees that you owe:',
  owedText: 'Top up your credit by so much first.',
  factorFirst: 'Closing asks for a second step, so that a stolen password alone closes nothing.',
  factorWay: 'Add one first',
  form: 'Close it for good',
  email: 'Your email address',
  emailHint: (email: string) => `Type ${email}, so that this does not happen by a slip.`,
  emailOther: 'This is not the email address of the account.',
  button: 'Close the account for good',
  leave: 'Leave it open',
  doneTitle: 'The account is closed',
  doneText: 'Every key has ended, and you are signed out. A letter tells you so.',
  signInTitle: 'This account is closed',
  signInText: (day: string) =>
    `Its owner closed it on ${day}, for good, and nobody can sign in to it. To sell again, make a new account with another email address.`,
}

export type ClosingWords = typeof closingWords
