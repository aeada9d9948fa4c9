/**
 * Lists that are answered whole, or from their newest row on, each with the reason for which nothing in them is out of
 * reach. A list that is neither here nor in `walks` is a mistake.
 */
export const whole: readonly (readonly [labels: RegExp, why: string])[] = [
  [
    /^get \/v1\/game\/(me|quests|characters|character|explore|games|tournaments)$/,
    'what a member has, or the game: bounded by its rules',
  ],
  [
    /^get \/v1\/game\/(pvp|studio|inventions)$/,
    'the newest of a member: document 1 has no page of them, and the feed tells of all',
  ],
  [/^get \/v1\/game\/feed$/, 'it is followed from an id on; test/projections/game-feed.test.ts walks it'],
  [
    /^get \/v1\/(subagents|stores|custom-tokens|discount-codes|custom-fields|commerce\/keys)$/,
    'at most 200 of an account',
  ],
  [
    /^post \/api\.php function=get-(custom-tokens|cryptocurrency-codes)$/,
    'at most 200 of an account, and the catalogue of coins',
  ],
  [/^get \/v1\/me action=keys$/, 'the owner keys that are good: two at most'],
  [/^get \/v1\/landers$/, 'at most 1,000 of an account, all of which are answered'],
  [/^get \/v1\/site resource=templates$/, 'at most 20 of an account'],
  [/^get \/v1\/(x402\/supported|market|services)$/, 'public directories: document 1 has a limit and no page of them'],
  [/^get \/$/, 'the first calls of a seller, which are always the same'],
  [/^get \/(buy\/:id|shop\/:handle|\.well-known\/ucp)$/, 'one thing, or a public page, which is walked below'],
  [/^get \/v1\/orders order_id=true$/, 'the parts of one order: at most 100 lines'],
  [/^get \/v1\/activity$/, 'its rows are acts of keys and people; test/http/dashboard/activity.test.ts walks it'],
  [/^get \/v1\/unmatched transfer=true$/, 'one payment, and the ten likeliest that it may be meant for'],
  [/^get \/v1\/transactions transaction_id=true webhook_log=1$/, 'what was sent for one transaction, whole'],
  [/^get \/v1\/audit\/(transactions\/:transaction_id|books|books\/series)$/, 'one life, or sums'],
  [/^get \/v1\/request-log$/, 'calls, which no event tells of: test/http/agent/request-log.test.ts walks it'],
  [/^get \/v1\/audit\/seals$/, 'heads of the whole log, by size: test/http/agent/audit.test.ts walks them'],
  [/^get \/audit\/checkpoint\.json$/, 'the cosignatures of one head'],
  [/^get \/v1\/webhook\/receiver$/, 'the newest 20 of seven days; each transaction tells of all that was sent'],
  [
    /^get \/v1\/reports\/overview$/,
    'figures of 30 days at most, of the coins of the catalogue, and at most 100 payments of a kind',
  ],
  [/^post \/oauth2 op=topup act=list$/, 'test/projections/paging.test.ts walks it'],
  [
    /^post \/(payment\/)?api\.php function=check-transaction$/,
    'what may be meant for one transaction: the newest hundred; /v1/settlements has all',
  ],
  [/^post \/api\.php function=check-transactions$/, 'the newest that are pending; each can be checked by its number'],
]
