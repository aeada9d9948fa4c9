/** What one process does of the service's work. */
export const SERVICE_PARTS = ['web', 'followers'] as const
export type ServicePart = (typeof SERVICE_PARTS)[number]

/** How a process serves beside others. */
export type ServiceRole = {
  /** `web` answers requests, `followers` does what follows the log and the chains. */
  readonly parts: readonly ServicePart[]
  /** Whether other processes of this machine listen at the same public port. */
  readonly sharesPort: boolean
}

export const WHOLE_SERVICE: ServiceRole = { parts: SERVICE_PARTS, sharesPort: false }
