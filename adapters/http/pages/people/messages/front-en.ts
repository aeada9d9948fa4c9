/** What the page at the origin says, in English; `front-de.ts` has the same shape. */
export const frontWords = {
  title: 'Paid over HTTP, into your own wallet',
  about:
    'Daybook lets a seller be paid in coins, by people and by programs. The money goes straight to the seller’s own address; Daybook sees it arrive, tells the seller, and writes everything down in a ledger in which nothing is rubbed out. It holds nobody’s funds and nobody’s keys.',
  sell: 'Sell',
  sellText:
    'Make an account, enter the address of a wallet, set a price, and try a sale: two minutes, without a line of code.',
  program: 'Or sell by three calls',
  programText: (base: string) =>
    `A program begins with three calls to ${base}. They take JSON; from the second on they need the key, in the header X-Api-Key.`,
  begin: {
    '/v1/signup': 'Sign up: email and password. The answer has your API key, once.',
    '/v1/wallets': 'Say where you want to be paid: asset and address.',
    '/v1/resources': 'Price something: amount and currency. The answer has the link at which it is bought.',
  } as Readonly<Record<string, string>>,
  curl: 'The first one with curl:',
  buy: 'Buy',
  buyText:
    'Whoever sells gives you a link; it shows what to pay and where. With an account here you can also pay from a balance.',
  build: 'Build',
  buildText: 'Apps let people sign in with their account, and take payments from their balance.',
  check: 'Check',
  checkText: 'Every event of an account, the books as of any day, and the proof that nothing was changed afterwards.',
  links: {
    seller_sign_up: 'Start selling',
    dashboard: 'Sign in to the dashboard',
    openapi: 'API reference (OpenAPI 3.1)',
    market: 'What is for sale',
    services: 'Who sells services',
    openid_configuration: 'Sign-in for apps (OpenID Connect)',
    sign_in: 'Sign in',
    sign_up: 'Make an account',
    account: 'Your account',
    audit: 'Read the ledger',
    status: 'Status of this service',
  },
}

export type FrontWords = typeof frontWords
