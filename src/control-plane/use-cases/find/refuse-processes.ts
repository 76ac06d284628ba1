import { VplaneError } from '../../../shared/errors.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'

/** Pods of a plane of processes would silently stop. @throws {VplaneError} `UNSUPPORTED`. */
export function refuseProcesses(
  { name, spec }: Pick<Plane, 'name' | 'spec'>,
  driver: Pick<Driver, 'name'>,
): void {
  if (spec.host?.sync !== undefined && driver.name === 'local') {
    throw new VplaneError('UNSUPPORTED', `"${name}" runs pods and needs a host cluster`, {
      hints: [
        { purpose: 'name one to restore it in', hostContext: 'NAME' },
        { purpose: 'name one to move it to', toContext: 'NAME' },
      ],
    })
  }
}
