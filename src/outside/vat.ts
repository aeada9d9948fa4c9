import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { hostAndPort } from '../../adapters/outbound/url-rules.ts'
import { createVatRegistry } from '../../adapters/vat/registry.ts'
import { createVies } from '../../adapters/vat/vies.ts'
import type { VatRegistry } from '../../domain/money/vat/ports.ts'
import { WEBHOOK_USER_AGENT } from '../../domain/selling/webhooks/delivery-request.ts'
import type { Config } from '../settings/config.ts'

/**
 * Who checks VAT numbers. VIES is asked over a guarded way out of its own; on a private host or without TLS only where
 * a setting names it.
 */
export const openVatRegistry = ({ vies }: Config, closing: (close: () => unknown) => void): VatRegistry => {
  if (!vies) return createVatRegistry(undefined)
  const allow = new Set(vies.own ? [hostAndPort(new URL(vies.base))] : [])
  const outbound = createOutbound({ allow, userAgent: WEBHOOK_USER_AGENT })
  closing(() => outbound.close())
  return createVatRegistry(createVies({ outbound, base: vies.base }))
}
