import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../shared/files/make-folder.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { type LauncherTarget, launcherText } from './launcher-text.ts'

/**
 * Writes the program that contexts name as their credential plugin. It tries the vplane that wrote it, then the one
 * on PATH, and says how to install one when there is neither: so contexts outlive any one installation.
 */
export async function writeCredentialLauncher(path: string, target: LauncherTarget): Promise<void> {
  const text = launcherText(target)
  if (text !== (await readLauncher(path))) {
    makeFolder(dirname(path))
    await writeFile(path, text, { mode: 0o700 })
  }
}

/**
 * Brings a launcher up to date when there is one: nothing is made for users who never connected. A folder that cannot
 * be written is left as it is, as the launcher finds a vplane on PATH by itself.
 */
export async function refreshCredentialLauncher(
  path: string,
  target: LauncherTarget,
): Promise<void> {
  try {
    if ((await readLauncher(path)) !== undefined) {
      await writeCredentialLauncher(path, target)
    }
  } catch {
    // Whoever connects next is told.
  }
}

async function readLauncher(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    // Not there, or not readable: both mean that it is written anew when it is needed.
    return undefined
  }
}
