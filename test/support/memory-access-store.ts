import type { Plane } from '../../src/control-plane/plane/plane.ts'
import type { Access, AccessStore } from '../../src/control-plane/use-cases/access/access.ts'

/** Keeps accesses in memory, by the plane's id as the store on disk does. */
export class MemoryAccessStore implements AccessStore {
  readonly kept = new Map<string, { planeId: string; access: Access }>()
  /** How often one was written. */
  writes = 0

  read(plane: Plane): Promise<Access | undefined> {
    const found = this.kept.get(keyOf(plane))
    return Promise.resolve(found?.planeId === plane.id ? found.access : undefined)
  }

  write(plane: Plane, access: Access): Promise<void> {
    this.writes += 1
    this.kept.set(keyOf(plane), { planeId: plane.id, access })
    return Promise.resolve()
  }

  remove(plane: Parameters<AccessStore['remove']>[0]): Promise<void> {
    this.kept.delete(keyOf(plane))
    return Promise.resolve()
  }
}

function keyOf({ driver, hostContext, name, namespace }: Parameters<AccessStore['remove']>[0]) {
  return [driver, hostContext, namespace, name].join('/')
}
