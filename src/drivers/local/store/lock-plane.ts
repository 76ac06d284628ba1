import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { PlaneStore } from './plane-store.ts'

/** Holds the lock of a plane for an operation, and says when it waits for another vplane. */
export function lockPlane(
  store: Pick<PlaneStore, 'lock'>,
  name: string,
  { signal, ui }: Pick<Operation, 'signal' | 'ui'>,
): Promise<AsyncDisposable> {
  return store.lock(name, {
    signal,
    onWait: () => ui.step(`Waiting for another vplane that works on "${name}"`),
  })
}
