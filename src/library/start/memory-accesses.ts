import type { Access, AccessStore } from '../../control-plane/use-cases/access/access.ts'

/** Keeps accesses for as long as this process lives: no credential of an administrator lies on the disk. */
export function memoryAccesses(): AccessStore {
  const accesses = new Map<string, Access>()
  return {
    read: (plane) => Promise.resolve(accesses.get(plane.name)),
    write: (plane, access) => {
      accesses.set(plane.name, access)
      return Promise.resolve()
    },
    remove: (plane) => {
      accesses.delete(plane.name)
      return Promise.resolve()
    },
  }
}
