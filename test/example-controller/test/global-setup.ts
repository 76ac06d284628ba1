import { planeSetup } from 'vplane/vitest'

/** One control plane for all test files, with what the controller needs installed. */
export const setup = planeSetup({ crds: [new URL('../config/crd', import.meta.url)] })
