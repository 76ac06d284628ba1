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

/** What is kept for one plane. */
export interface CachedAccess extends Access {
  /** The plane's id: one that was deleted and made again has other keys. */
  planeId: string
}

/** What tells planes apart. */
export type AccessPlane = Parameters<AccessStore['remove']>[0]

/**
 * Keeps accesses in files of their own, 0600: what the credential plugin of a context hands out without looking any
 * further. `pathOf` says where; the folder of a local plane is there as long as the plane is, other folders are made.
 */
export function accessFiles(pathOf: (plane: AccessPlane) => string): AccessStore {
  return {
    read: async (plane) => {
      const kept = await readAccessFile(pathOf(plane))
      return kept?.planeId === plane.id ? kept : undefined
    },
    write: async (plane, access) => {
      const path = pathOf(plane)
      removeQuickAnswer(path)
      if (plane.driver !== 'local') {
        makeFolder(dirname(path))
      }
      const stamp = {
        formatVersion: FORMAT_VERSION,
        writtenBy: packageVersion(),
        planeId: plane.id,
      }
      try {
        await writeFile(path, `${JSON.stringify({ ...stamp, ...access })}\n`)
      } catch (error) {
        throw hasErrorCode(error, 'ENOENT') ? deletedMeanwhile(plane.name, error) : error
      }
    },
    remove: async (plane) => {
      removeQuickAnswer(pathOf(plane))
      rmSync(pathOf(plane), { force: true })
    },
  }
}

/** The access in a file; undefined when it is missing, damaged or of another format: it can be made again. */
export async function readAccessFile(path: string): Promise<CachedAccess | undefined> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isCachedAccess(value) ? { ...value, expiresAt: new Date(value.expiresAt) } : undefined
  } catch {
    // Missing or cut off: both mean that a new one is made.
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
