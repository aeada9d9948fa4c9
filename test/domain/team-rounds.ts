/** Rounds of the team, its stores and what credit buys. */

const candidate = { secret: 'v1.s', last4: 'last' }
const answers = (n: number) => ({ ref: `r${n}`, position: String(n) })
const grants = { role: 'clerk', permissions: [], roleName: null, displayName: null, storeScope: [] }
const kept = (keyId: string) => ({ keyId, keyHash: 'h', hint: 'x' })
const cloudToken = (n: number) => ({ token: `v1.${n}`, tokenHash: `t${n}` })

const invitation = (n: number) => ({
  email: 'v1.e',
  emailFingerprint: `f${n}`,
  tokenHash: `t${n}`,
  expiresAt: '2126-03-02T10:00:00.000Z',
  letter: 'v1.l',
  by: 'mem_a',
  role: 'lead',
  permissions: [],
  storeScope: [],
})

type Command = readonly [command: string, data: object]

export const teamRounds = {
  team: (n: number): readonly Command[] => [
    ['create', { ...kept(`k${n}`), ...grants, paid: { number: 2 * n + 1, fee: '1' } }],
    ['rotate', { number: n, ...kept(`r${n}`) }],
    ['change', { number: n - 1, role: 'admin', paid: { number: 2 * n + 2, fee: '14000001' } }],
    ['change', { number: n - 1, role: 'clerk', status: 'suspended' }],
    ['change', { number: n - 1, status: 'active' }],
    ['delete', { number: n - 3 }],
    ['invite', invitation(n)],
    // One alone is accepted, so that the numbers of sub-keys go on beside the rounds.
    ['accept', { memberId: 'mem_b', emailFingerprint: `f${n}`, tokenHash: n === 0 ? 't0' : 'other' }],
    ['changeMember', { number: 2, role: n % 2 ? 'lead' : 'clerk', by: 'mem_a' }],
    ['removeMember', { number: n, by: 'mem_a' }],
    ['withdraw', { emailFingerprint: `f${n - 1}`, by: 'mem_a' }],
    ['requireFactor', { required: n % 2 === 0, by: 'mem_a' }],
  ],
  stores: (n: number): readonly Command[] => [
    ['openDefault', { token: 'v1.t', tokenHash: 'h1' }],
    ['create', { label: null, webhookUrl: null, key: kept(`s${n}`), cloudToken: cloudToken(n), secret: candidate }],
    ['change', { storeId: n, webhookUrl: `https://a/${n}`, status: n % 2 ? 'active' : 'inactive', secret: candidate }],
    ['rotateKey', { storeId: n, key: kept(`t${n}`) }],
    ['rotateCloudToken', { storeId: n, ...cloudToken(-n) }],
    ['rotateSecret', { storeId: n, ...candidate, secret: `v1.${n}` }],
    ['delete', { storeId: n - 1 }],
  ],
  creditAccount: (n: number): readonly Command[] => [
    ['charge', { amount: '7', points: 3, reason: 'platform-fee', source: 'billing', ...answers(n) }],
    ['grant', { amount: '9000000', reason: 'email-verified', source: 'granting', ...answers(n) }],
    ['buyLanderPack', { purchaseId: `b${n}`, qty: 1 }],
    ['redeemPoints', { purchaseId: `p${n}`, points: 1 }],
    ['paySeat', { amount: '1', order: { id: `o${n}`, kind: 'change', number: 1, ...grants } }],
  ],
}
