import type { Endpoint } from '../../core/endpoint.ts'
import type { Downloads } from '../common/downloads.ts'
import { activityEndpoints } from './activity.ts'
import { bookEndpoints } from './books.ts'
import { checkpointEndpoints } from './checkpoint.ts'
import { eventEndpoints } from './events.ts'
import { exportEndpoints } from './export.ts'
import { lifeEndpoints } from './life.ts'
import { overviewEndpoints } from './overview.ts'
import { requestLogEndpoints } from './request-log.ts'
import { sealEndpoints } from './seals.ts'

/** The auditor's page and the calls behind it, and what was called lately: they read, and change nothing. */
export const auditEndpoints = (downloads: Downloads): readonly Endpoint[] => [
  ...overviewEndpoints,
  ...eventEndpoints,
  ...requestLogEndpoints,
  ...activityEndpoints,
  ...lifeEndpoints,
  ...bookEndpoints,
  ...sealEndpoints,
  ...checkpointEndpoints,
  ...exportEndpoints(downloads),
]
