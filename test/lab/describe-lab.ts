import { describe } from 'vitest'
import { processEnvironment } from '../../src/shared/environment.ts'
import { canRunLab } from './can-run-lab.ts'

/** Whether tests run in the cluster of someone else. */
export const isExternal = (processEnvironment()['VPLANE_TEST_KUBECONFIG'] ?? '') !== ''

/** `describe` of tests in any host cluster; without one they are left out. */
export const describeOnHost = describe.skipIf(canRunLab() !== undefined)

/** `describe` of tests in a cluster of the lab, and never in that of someone else. */
export const describeInLab = describe.skipIf(isExternal || canRunLab() !== undefined)

/** `describe` of tests that start clusters of their own. */
export const describeInOwnLab = describe.skipIf(canRunLab({ isOwn: true }) !== undefined)
