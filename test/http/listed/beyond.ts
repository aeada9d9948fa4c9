/**
 * The paths that Daybook has beyond the documents' list, each with the reason. A path that is in neither is a mistake.
 */
export const beyond: readonly (readonly [paths: RegExp, why: string])[] = [
  [/^\/(sign-(in|up|out)|account)(\/[\w-]+)*$/, 'the pages of people: the list has what programs call'],
  [/^\/dashboard(\/[\w.-]+|\/\{\})*$/, 'the pages of a seller’s people'],
  [/^\/oauth2\/(resume|end)$/, 'where a browser goes on after signing in, and signs out'],
  [
    /^\/(confirm\/\{\}|standing-orders\/\{\}\/confirm|topup\/\{\}(\/confirm)?)$/,
    'where the links of the list lead people',
  ],
  [/^\/verify-email$/, 'where the link in the letter leads'],
  [/^\/recover-key(\/confirm)?$/, 'where somebody who has lost the owner key gets another one'],
  [
    /^\/(buy|l|session|shop|payout)\/\{\}$/,
    'the pages of products, carts, stores and payouts that the list names links to',
  ],
  [/^\/l\/\{\}\/offers$/, 'offers that visitors of a landing page make (N-46)'],
  [/^\/assets\/media\/\{\}$/, 'where the url of an uploaded picture leads'],
  [/^\/assets\/works\/\{\}$/, 'where the url of a work of the studio leads'],
  [/^\/pay\/\{\}\/events$/, 'what a payment page follows'],
  [/^\/(\.well-known\/ucp)?$/, 'how platforms of the commerce protocol find a store'],
  [/^\/hooks\/card\/\{\}$/, 'where the card processor of a seller tells what became of a payment (N-31)'],
  [/^\/v1\/webhook\/receiver$/, 'what the built-in receiver got for test sales, and the choice of it (N-86)'],
  [/^\/v1\/webhook\/deliveries$/, 'what a seller was told, and some of it once more (N-101)'],
  [/^\/v1\/request-log$/, 'what the keys of a seller called lately (N-100)'],
  [/^\/v1\/products\/import$/, 'products that a seller brings from Shopify (N-106)'],
  [/^\/v1\/orders$/, 'the orders of a seller, who has to fulfil them'],
  [/^\/v1\/commerce\/keys$/, 'the keys that a seller signs its carts by'],
  [/^\/v1\/x402\/(verify|settle|supported)$/, 'signed payments for what is sold elsewhere'],
  [/^\/v1\/reports\/reconcile$/, 'what accountants ask: whether lists, books and chains say the same'],
  [
    /^\/v1\/reports\/overview$/,
    'what a seller sees first at the dashboard: figures of the last days, and what needs a hand (N-83)',
  ],
  [/^\/v1\/unmatched$/, 'money that settles nothing, and what a seller does with it (N-102, N-103)'],
  [/^\/v1\/activity$/, 'who did what in an account, and from where (N-104)'],
  [/^(\/v1)?\/audit(\/[\w.-]+|\/\{\})*$/, 'the proof of the log'],
]
