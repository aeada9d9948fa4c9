import type { Refusal, RefusalCode } from '../refusal.ts'
import { personWords } from './person-words.ts'

/**
 * What each refusal says where nothing more is known: what it is about and what is wrong, then what to do. The table is
 * exhaustive, so that a new refusal does not compile without its sentence, and no two say the same.
 */

const words: Readonly<Record<RefusalCode, string>> = {
  ...personWords,
  'invalid-request': 'The request is not what this call takes. Read what it takes in GET /openapi.json.',
  internal: 'Something went wrong on our side. Try again in a moment, and tell the operator if it stays.',
  busy: 'Others are changing the same thing at this moment. Try again in a moment.',
  'rate-limited': 'These are too many calls in a short time. Wait as long as Retry-After says, then try again.',
  unavailable: 'A service that this call needs does not answer. Try again in a moment.',
  'stream-cut': 'A part of the ledger that this call rests on cannot be read whole. The operator was told: try later.',
  'event-unreadable':
    'An event that this call rests on cannot be read. The operator was told: try again once it is set aside.',
  forbidden: 'This key may not do that. Use one that has the capability, or the key of the owner.',
  'not-found': 'There is nothing of this id. Look for the right one in the list that it comes from.',
  'route-not-found': 'There is no operation at this address. Look for it in GET /openapi.json.',
  'method-not-allowed': 'This address does not answer that method. Take one of those in the header Allow.',
  'body-too-large': 'The body is larger than this call takes. Send less, or in several calls.',
  'body-too-slow': 'The body did not arrive in time. Send it again over a better connection.',
  'batch-too-large': 'There are more items in this call than it takes. Send them in several calls.',
  'key-missing': 'This call needs an API key. Send it in the header X-Api-Key.',
  'key-invalid': 'No account has this API key. It may be rotated or revoked: use the newest one.',
  'key-ended':
    'The time for which this API key was made is up. Ask the owner of the account for another end or another key.',
  'network-refused':
    'This API key takes no calls from this network. Call from one of its networks, or ask its owner to add this one.',
  'sandbox-key-rejected': 'A sandbox key may not do this. Use a live key.',
  'publishable-key-rejected': 'A publishable key may not do this. Use a secret one, which no page should hold.',
  'sandbox-key-not-found': 'There is no such sandbox key in this account. Look for its number in GET /v1/sandbox-keys.',
  'store-not-found': 'There is no such store in this account. Look for its number in GET /v1/stores.',
  'too-many-keys': 'The account has as many keys as it may have. Revoke one first.',
  'subagent-not-found': 'There is no such sub-key in this account. Look for it in GET /v1/subagents.',
  'too-many-stores': 'The account has as many stores as it may have. Delete one first.',
  'email-taken': 'This email address belongs to an account already. Use another one, or sign in there.',
  'password-required': 'Several accounts asked for this email address. Confirm yours with its password.',
  'terms-not-agreed': 'An account needs that its terms are agreed to. Send agreed_to_terms as true.',
  'account-suspended': 'This account is suspended. Write to whoever runs this service.',
  'not-activated': 'This account is not activated. Follow the link in the letter that was sent at sign-up.',
  'verification-link-invalid': 'This link was used, is too old, or is not the newest one. Ask for a new letter.',
  'unknown-asset': 'There is no such coin here. Take a code of GET /v1/wallets, or add the token first.',
  'bad-address': 'This is no address of the network that the coin is on. Copy it from the wallet again.',
  'address-taken': 'This address belongs to another account. If it is yours, prove it: GET /v1/wallets?proof=1.',
  'proof-invalid': 'The proof does not show control of this address. Ask for a new text and sign it as it is.',
  'wallet-missing': 'There is no wallet for this coin. Set one by POST /v1/wallets.',
  'rate-missing': 'This token has no price. Add it again with a rate or a rate_url.',
  'custom-token-exists': 'There is a coin of this code already. Take another code, or delete that token first.',
  'card-processor-invalid': 'The card processor does not take these keys. Copy them from its dashboard again.',
  'amount-not-positive': 'The amount has to be above zero. Send a larger one.',
  'webhook-url-refused': 'This webhook URL may not be called. Use an https URL of a public host.',
  'insufficient-credit': 'The prepaid credit does not cover this. Top it up by POST /v1/top-up.',
  'resource-not-found': 'There is no such resource, or it is not sold any more. Look at its id again.',
  'challenge-not-found':
    'There is no such challenge. Take the challengeId from the 402 or the accepts[] that you were given.',
  'challenge-expired': 'The time to pay this challenge is up. Ask for the price again, and pay the new challenge.',
  'challenge-is-test':
    'This challenge is a test, which no coins can pay. Play its payment by POST /v1/simulate-payment.',
  'challenge-is-live':
    'This challenge is for real money, and a payment of it cannot be played. Use one of a test resource.',
  'challenge-closed': 'This challenge takes no more payments. Ask for the price again, and pay the new challenge.',
  'out-of-stock': 'There are not as many pieces of this left. Take fewer, or come back later.',
  'no-free-amount': 'Every amount that could tell this payment from others is in use. Try again when Retry-After says.',
  'transfer-not-found': 'There is no such transfer to an address of this account. Look for it in GET /v1/settlements.',
  'transfer-taken': 'This transfer has paid something else already. Post the hash of another transaction.',
  'payment-not-matching':
    'This transaction does not pay the challenge. Compare its coin, address and network with the 402.',
  'payment-too-low': 'This transaction pays less than was asked. Pay what is missing to the same address.',
  'already-paid': 'This was paid already, by another transaction. Ask the seller about the second payment.',
  'request-not-found': 'There is no such payment request. Look at its link again.',
  'checkout-not-found': 'There is no such checkout in this account. Look for it in GET /v1/checkouts.',
  'version-conflict': 'It was changed since the version that you name. Read it again, and change the newest one.',
  'too-many-checkouts': 'The account has as many checkouts as it may have. Delete one first.',
  'too-many-entries': 'This list has as many entries as it may have. Remove one first.',
  'label-taken': 'There is an entry of this label already. Choose another label.',
  'lander-not-found': 'There is no such lander. Look for it in GET /v1/landers.',
  'no-free-lander-slots': 'All lander slots are in use. Delete a lander, or buy slots.',
  'offer-not-found': 'There is no such offer. Look for it among the offers of its lander.',
  'transaction-not-found': 'There is no such transaction in this account. Look for its number in GET /v1/transactions.',
  'session-not-found': 'There is no such checkout session in this store. Make a new one.',
  'session-closed': 'This checkout session has ended. Make a new one.',
  'order-not-found': 'There is no such order. Look at its link again.',
  'item-not-found': 'This store sells no such item. Look for its id in POST /catalog/search.',
  'checkout-mandate-invalid':
    'The signature of the mandate does not fit. Sign the newest terms with the key that is bound to it.',
  'checkout-mandate-expired': 'The time of the mandate is up. Have the buyer sign a new one.',
  'checkout-mandate-out-of-scope': 'The mandate does not allow this purchase. Have the buyer sign one that does.',
  'checkout-mandate-required':
    'This seller takes orders with a signed mandate alone. Send one as ap2.checkout_mandate.',
  'profile-url-invalid': 'The profile is at no https URL. Name one that is public.',
  'profile-unreachable': 'The profile that you name does not answer. Try again once it does.',
  'profile-malformed': 'The profile that you name cannot be read as one. Compare it with the schema of UCP.',
  'protocol-version-unsupported': 'This version of the protocol is newer than ours. Speak the one in /.well-known/ucp.',
  'state-forbids': 'Its present state does not allow this. Read it again to see what it does allow.',
  'refunds-not-enabled': 'Refunds are not enabled. Enable them by PUT /v1/settings {"payment":{"refunds":true}}.',
  'no-webhook-url': 'No webhook is set for this. Set one by POST /v1/webhook.',
  'authorization-unknown': 'No such signed payment was taken here. Send the payment itself.',
  'insufficient-funds': 'The payer does not have as much of this coin as the payment needs. Pay from another wallet.',
  'caller-limit-reached':
    'This payer has spent as much on the resource as its seller allows. Pay again when the window is over.',
  'idempotency-conflict': 'This Idempotency-Key was used for another request. Take a new key for a new request.',
  'id-taken': 'There is something of this id already. Send the same request again to be told what.',
}

/**
 * What a refusal says: its own sentence, or that of its code. A fragment becomes a sentence, and what to do comes after
 * it; what is wrong with a field stays as it is, after the name of the field.
 */
export const sentenceOf = ({ code, detail }: Pick<Refusal, 'code' | 'detail'>): string => {
  if (!detail) return words[code]
  if (code === 'invalid-request' || /[.!?]$/.test(detail) || !/^[a-z]+(?![a-z_:.])/.test(detail)) return detail
  const [first = ''] = detail
  return `${first.toUpperCase()}${detail.slice(1)}. ${words[code].slice(words[code].indexOf('. ') + 2)}`
}

/** The sentence of each code. */
export const refusalWords: Readonly<Record<RefusalCode, string>> = words
