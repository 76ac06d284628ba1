import type { DriverName } from '../../spec/driver-name.ts'
import { withoutHostFields } from '../../spec/resolve-host-spec.ts'
import { resolveSpec } from '../../spec/resolve-spec.ts'
import type { Plane } from '../../plane/plane.ts'

type Specs = Pick<Plane, 'spec' | 'userSpec'>

/** Returns the specs of a plane that another driver creates again: all is kept but the fields of the host. */
export function specForDriver({ spec, userSpec }: Specs, driver: DriverName): Specs {
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
