import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { platformOf } from '../../../src/drivers/local/binaries/cache/platform.ts'
import type { LabFolder } from '../lab-folder.ts'
import { dockerArchive, type ImageContent } from './docker-archive.ts'
import { imageContent, type ImageRecipe } from './lab-images.ts'

/** Counts up when archives are made in another way. */
const FORMAT = 1

/** The path of an image's archive, made when it is not there or its programs have changed. */
export async function ensureImage(recipe: ImageRecipe, folder: LabFolder): Promise<string> {
  const name = recipe.name.replaceAll(/[^a-z0-9.-]+/g, '_')
  const source = { name, recipe, programs: Object.values(recipe.programs) }
  return await ensureArchive(source, folder, () =>
    Promise.resolve(imageContent(recipe, platformOf(), (path) => readFileSync(path))),
  )
}

/** The contents of an archive. */
export interface ArchiveSource {
  /** Without what a file name cannot have. */
  name: string
  /** How it is made, as JSON. */
  recipe: unknown
  /** Paths of the programs in it. */
  programs: readonly string[]
}

/** The path of an archive of images, made when it is not there or its source has changed. Older ones of its name go. */
export async function ensureArchive(
  source: ArchiveSource,
  folder: LabFolder,
  make: () => Promise<ImageContent>,
): Promise<string> {
  const { name } = source
  const path = join(folder.images, `${name}~${identityOf(source)}.tar`)
  if (!existsSync(path)) {
    await mkdir(folder.images, { recursive: true, mode: 0o700 })
    const draft = `${path}.${process.pid}`
    {
      await using file = await open(draft, 'w', 0o600)
      await file.writeFile(dockerArchive(await make()))
    }
    await rename(draft, path)
    await removeOlder(folder.images, path)
  }
  return path
}

/** The image that an archive's file name stands for, whatever it contains. */
export function imageOf(archive: string): string {
  return archive.slice(0, archive.lastIndexOf('~'))
}

/** Removes the archives of the same image with older programs. Another process may load this one meanwhile. */
async function removeOlder(images: string, archive: string): Promise<void> {
  const others = (await readdir(images))
    .map((name) => join(images, name))
    .filter(
      (file) => file !== archive && file.endsWith('.tar') && imageOf(file) === imageOf(archive),
    )
  await Promise.all(others.map((file) => rm(file, { force: true })))
}

/** Differs when the recipe or one of the programs does. */
function identityOf({ programs, recipe }: ArchiveSource): string {
  const files = programs.map((path) => {
    const { mtimeMs, size } = statSync(path)
    return [path, size, mtimeMs]
  })
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, recipe, files]))
    .digest('hex')
    .slice(0, 12)
}
