import { join } from 'node:path'

/** Where everything of the lab is: below vplane's cache folder, as all of it can be made again. */
export interface LabFolder {
  /** vplane's own cache folder, with the binaries that planes are made of. */
  cache: string
  /** The lab's part of it. */
  root: string
  /** Programs that vplane does not ship, by release. */
  programs: string
  /** Unpacked Debian packages. */
  debian: string
  /** Image archives. */
  images: string
  /** Folders of containerd's with images in them. */
  seeds: string
  /** One folder per cluster. */
  clusters: string
  locks: string
}

/** The folders of the lab below vplane's cache folder. */
export function labFolder(cache: string): LabFolder {
  const root = join(cache, 'lab')
  return {
    cache,
    root,
    programs: join(root, 'bin'),
    debian: join(root, 'debian'),
    images: join(root, 'images'),
    seeds: join(root, 'seeds'),
    clusters: join(root, 'clusters'),
    locks: join(root, 'locks'),
  }
}
