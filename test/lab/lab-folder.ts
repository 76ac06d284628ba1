import { join } from 'node:path'

export type LabFolder = ReturnType<typeof labFolder>

/** Where everything of the lab is: below vplane's cache folder, as all of it can be made again. */
export function labFolder(cache: string) {
  const root = join(cache, 'lab')
  return {
    /** vplane's own, with the binaries of planes. */
    cache,
    root,
    /** Programs that vplane does not ship, by release. */
    programs: join(root, 'bin'),
    /** Unpacked Debian packages. */
    debian: join(root, 'debian'),
    /** Image archives. */
    images: join(root, 'images'),
    /** Folders of containerd's with images in them. */
    seeds: join(root, 'seeds'),
    /** One folder per cluster. */
    clusters: join(root, 'clusters'),
    locks: join(root, 'locks'),
  }
}
