import type { DriverName } from '../../spec/driver-name.ts'
import { withoutHostFields } from '../../spec/resolve-host-spec.ts'
import { resolveSpec } from '../../spec/resolve-spec.ts'
import type { PlaneSpec, UserSpec } from '../../spec/spec.ts'

interface Specs {
  spec: PlaneSpec
  userSpec: UserSpec
}

/** The specs of a plane that is made again by some driver: what it is stays, where and how it stands is said anew. */
export function specForDriver({ spec, userSpec }: Specs, driver: DriverName): Specs {
  const said = driver === 'local' ? withoutHostFields(userSpec) : userSpec
  // A plane of another driver may have been made without a word on what this one does by default.
  const asked: UserSpec = {
    ...said,
    ...(spec.encryption === undefined ? {} : { encryption: spec.encryption }),
  }
  const { encryption: _default, host, ...resolved } = resolveSpec(asked, driver)
  const { host: _former, ...former } = spec
  return {
    userSpec: said,
    spec: { ...resolved, ...former, ...(host === undefined ? {} : { host }) },
  }
}
