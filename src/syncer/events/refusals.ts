import { httpStatusOf } from '../../kube/kube-error.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { messageOf } from '../../shared/errors.ts'
import type { SyncScope } from '../scope/sync-scope.ts'
import { hostNameOf, parseHostName } from '../translate/host-name.ts'
import type { Refusal } from '../translate/refusal.ts'
import { namesOf, toVirtualWords } from '../translate/virtual-words.ts'
import type { Reporter } from './reporter.ts'

const REFUSALS = [400, 403, 405, 422]

/** Tells what a host will not have as it is, however often it is asked, from what fails for the moment. */
export function isFinalRefusal(error: unknown): boolean {
  return REFUSALS.includes(httpStatusOf(error) ?? 0)
}

/** What the host says of what it has, or is to have, for a virtual object, in the words of the plane. */
export function hostMessage(scope: SyncScope, virtual: KubeObject, error: unknown): string {
  const { namespace } = scope.host
  return toVirtualWords(messageOf(error), {
    host: { name: hostNameOf(scope, namesOf(virtual)), namespace },
    virtual: namesOf(virtual),
    nameOf: (hostName) => parseHostName(scope, hostName)?.name,
  })
}

/** Says in an Event why the host is not asked for a virtual object. */
export function reportRefusal(
  { reporter }: { reporter: Reporter },
  virtual: KubeObject,
  { refusals }: Refusal,
): Promise<void> {
  const message = `not synced to the host cluster: ${refusals.join('; ')}`
  return reporter.report(virtual, { type: 'Warning', reason: 'SyncRefused', message })
}

/** Asks the host for something on behalf of a virtual object, of which an Event says so when the host refuses it. */
export async function askHost<Answer>(
  { reporter, scope }: { reporter: Reporter; scope: SyncScope },
  virtual: KubeObject,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (isFinalRefusal(error)) {
      const message = `refused by the host cluster: ${hostMessage(scope, virtual, error)}`
      await reporter.report(virtual, { type: 'Warning', reason: 'HostRefused', message })
    }
    throw error
  }
}
