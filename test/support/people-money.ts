import type { openOperator } from './operator.ts'

/**
 * What a user has and has allowed, as the flows would have written it: credit, an app with access, and its standing
 * order.
 */
export const withMoney = async (
  { flow, ledger, app }: Awaited<ReturnType<typeof openOperator>>,
  sub: string,
  now = Date.now(),
): Promise<{ mandateId: string }> => {
  const { clientId } = await app({ name: 'Harbour Tea' })
  await ledger.consent.grant(`${sub}:${clientId}`, { sub, clientId, scopes: ['openid', 'profile', 'balance'] })
  await ledger.userBalance.receive(sub, {
    transferId: 'grant:1',
    ledgerRef: 'oidcgrant-aaaaaaaaaaaaaaaaaaaa',
    kind: 'grant',
    amount: '12500000',
    from: 'platform',
    clientId: null,
    source: 'test',
    position: '1',
    description: await flow.vault.seal(sub, 'Welcome'),
  })
  const mandateId = `so_${flow.world.secret(4)}`
  const [approvedAt, until] = [new Date(now).toISOString(), new Date(now + 86_400_000).toISOString()]
  const terms = {
    clientId,
    perDebitCap: '5000000',
    lifetimeCap: '60000000',
    ...({ mode: 'adhoc', cooldown: 'monthly' } as const),
    schedAmount: null,
    schedInterval: null,
  }
  await ledger.mandate.create(mandateId, {
    ...terms,
    sub,
    redirectUri: 'https://app.test/cb',
    appState: 's',
    request: 'r',
    expiresAt: until,
    description: await flow.vault.seal(sub, 'A pound of Assam'),
  })
  await ledger.userBalance.activate(sub, { ...terms, mandateId, approvedAt, validUntil: until, until })
  return { mandateId }
}
