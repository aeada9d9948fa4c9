import type { CardProcessor } from '../../domain/card/ports.ts'
import type { CardSettings } from './stripe.ts'

/**
 * The card processor of sellers. Its SDK is loaded by the first call: a service whose sellers take no cards has no need
 * of its 40 MB.
 */
export const openCardProcessor = (settings: CardSettings): CardProcessor => {
  let opened: Promise<CardProcessor> | undefined
  const processor = () => {
    opened ??= import('./stripe.ts').then(({ createCardProcessor }) => createCardProcessor(settings))
    return opened
  }
  return {
    verify: async (...given) => (await processor()).verify(...given),
    openCheckout: async (...given) => (await processor()).openCheckout(...given),
    readCheckout: async (...given) => (await processor()).readCheckout(...given),
    closeCheckout: async (...given) => (await processor()).closeCheckout(...given),
    checkoutOfCharge: async (...given) => (await processor()).checkoutOfCharge(...given),
    refund: async (...given) => (await processor()).refund(...given),
    refundedOf: async (...given) => (await processor()).refundedOf(...given),
    notice: async (...given) => (await processor()).notice(...given),
    alarm: settings.alarm,
  }
}
