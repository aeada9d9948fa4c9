/** Whether this names a payment by card, where what paid may also be a challenge. */
export const isCardPaymentId = (id: string | null | undefined): id is string => /^cp_[a-z2-7]{26}$/.test(id ?? '')
