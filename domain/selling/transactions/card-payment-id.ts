/** Whether an id names a card payment rather than a challenge. */
export const isCardPaymentId = (id: string | null | undefined): id is string => /^cp_[a-z2-7]{26}$/.test(id ?? '')
