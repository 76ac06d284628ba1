import { deletedMeanwhile } from '../../control-plane/plane/deleted-meanwhile.ts'
import { readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Access, AccessStore } from '../../control-plane/use-cases/access/access.ts'
import { hasErrorCode } from '../../shared/errors.ts'
import { makeFolder } from '../../shared/files/make-folder.ts'
import { packageVersion } from '../../shared/package-root.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { removeQuickAnswer } from './quick-answer.ts'
import { isRecord } from '../../shared/json-fields.ts'

const FORMAT_VERSION = 1

export interface CachedAccess extends Access {
  /** The plane's id: a plane that was deleted and created again has other keys. */
  planeId: string
}

export type AccessPlane = Parameters<AccessStore['remove']>[0]

/**
 * Stores each access in its own file, 0600, from which the credential plugin of a context answers at once. The folder
 * of a local plane exists as long as the plane does; other folders of `pathOf` are created.
 */
export function accessFiles(pathOf: (plane: AccessPlane) => string): AccessStore {
  return {
    read: async (plane) => {
      const cached = await readAccessFile(pathOf(plane))
      return cached?.planeId === plane.id ? cached : undefined
    },
    write: async (plane, access) => {
      const path = pathOf(plane)
      removeQuickAnswer(path)
      if (plane.driver !== 'local') {
        makeFolder(dirname(path))
      }
      const written = { formatVersion: FORMAT_VERSION, writtenBy: packageVersion() }
      const stored = { ...written, planeId: plane.id, ...access }
      try {
        await writeFile(path, `${JSON.stringify(stored)}\n`)
      } catch (error) {
        throw hasErrorCode(error, 'ENOENT') ? deletedMeanwhile(plane.name, error) : error
      }
      // Another process may have written the answer of the former access meanwhile: it looks at the access afterwards.
      removeQuickAnswer(path)
    },
    remove: async (plane) => {
      rmSync(pathOf(plane), { force: true })
      removeQuickAnswer(pathOf(plane))
    },
  }
}

/** The access in a file; undefined when it is missing, damaged or of another format: vplane can create it again. */
export async function readAccessFile(path: string): Promise<CachedAccess | undefined> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isCachedAccess(value) ? { ...value, expiresAt: new Date(value.expiresAt) } : undefined
  } catch {
    // Missing or incomplete: vplane creates a new one.
    return undefined
  }
}

const TEXT_FIELDS = ['planeId', 'server', 'certificateAuthority', 'certificate', 'key', 'expiresAt']

function isCachedAccess(
  value: unknown,
): value is Omit<CachedAccess, 'expiresAt'> & { expiresAt: string } {
  return (
    isRecord(value) &&
    value['formatVersion'] === FORMAT_VERSION &&
    TEXT_FIELDS.every((name) => typeof value[name] === 'string') &&
    URL.canParse(String(value['server'])) &&
    !Number.isNaN(Date.parse(String(value['expiresAt'])))
  )
}
