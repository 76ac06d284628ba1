import { VplaneError } from '../../shared/errors.ts'
import type { UserSpec } from './spec.ts'
import { resolveCredentials } from './credentials/credentials-spec.ts'

/** @throws {VplaneError} `INVALID_SPEC` when two entries name one Secret, or one needs an address that is not exposed. */
export function checkCredentials({
  credentials,
  expose,
}: Pick<UserSpec, 'credentials' | 'expose'>): void {
  const entries = Object.entries(resolveCredentials(credentials) ?? {})
  const places = entries.map(([, { namespace = '', secret }]) => `${namespace}/${secret}`)
  const again = entries.find((_, index) => places.indexOf(places[index] ?? '') !== index)
  if (again !== undefined) {
    const message = `"credentials.${again[0]}" names the Secret "${again[1].secret}" of another entry`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: [{ set: `credentials.${again[0]}.secret=NAME` }],
    })
  }
  const outside = entries.find(([, { address }]) => address === 'exposed')
  if (outside !== undefined && (expose?.type ?? 'none') === 'none') {
    const message = `"credentials.${outside[0]}.address: exposed" needs "expose": this plane has no address outside of the host cluster`
    throw new VplaneError('INVALID_SPEC', message, {
      hints: [{ set: 'expose.type=load-balancer' }],
    })
  }
}
