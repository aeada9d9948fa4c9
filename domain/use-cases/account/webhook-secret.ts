import type { UseCaseContext } from '../context.ts'

/** A fresh secret that signs deliveries, to be shown once, and what is kept of it. */
export const newWebhookSecret = async (
  { world, vault }: Pick<UseCaseContext, 'world' | 'vault'>,
  accountId: string,
) => {
  const secret = `whsec_${world.secret(32)}`
  return { secret, kept: { secret: await vault.seal(accountId, secret), last4: secret.slice(-4) } }
}
