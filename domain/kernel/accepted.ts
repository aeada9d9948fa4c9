/**
 * Whether the receiver of a webhook or a notification has taken it: it answered 2xx (W-RTY-01). `status` is null when
 * no answer came.
 */
export const isAccepted = (status: number | null): boolean => status !== null && status >= 200 && status < 300
