import type { DriverName } from '../../spec/driver-name.ts'
import { withoutHostFields } from '../../spec/resolve-host-spec.ts'
import { resolveSpec } from '../../spec/resolve-spec.ts'
import type { Plane } from '../../plane/plane.ts'
import { isAtServer, storeOf } from '../../store/store.ts'
import { VplaneError } from '../../../shared/errors.ts'

type Specs = Pick<Plane, 'spec' | 'userSpec'>

/**
 * Returns the specs of a plane that another driver creates again: all is kept but the fields of the host.
 * @throws {VplaneError} `UNSUPPORTED` if its data is at a server, for which each driver has other credentials.
 */
export function specForDriver({ spec, userSpec }: Specs, driver: DriverName): Specs {
  const isOther = (spec.host === undefined) === (driver === 'kubernetes')
  if (isOther && isAtServer(spec)) {
    const message = `the driver "${driver}" cannot use the credentials that the spec names for its store, ${storeOf(spec).title}`
    throw new VplaneError('UNSUPPORTED', message, {
      hints: [
        'create a plane with the store that you want, and restore a snapshot to it that is no bundle',
      ],
    })
  }
  const wanted = driver === 'local' ? withoutHostFields(userSpec) : userSpec
  // A plane of another driver may lack a field that this one sets by default.
  const asked = spec.encryption === undefined ? wanted : { ...wanted, encryption: spec.encryption }
  const { encryption: _default, host, ...resolved } = resolveSpec(asked, driver)
  const { host: _former, ...former } = spec
  return {
    userSpec: wanted,
    spec: { ...resolved, ...former, ...(host === undefined ? {} : { host }) },
  }
}
