import { createHash } from 'node:crypto'
import { tar, type TarEntry } from './tar.ts'

/** What an image is called and runs. */
export interface ImageConfig {
  /** With registry and tag: `registry.k8s.io/pause:3.10`. */
  name: string
  /** @default [] */
  entrypoint?: readonly string[]
  /** The arguments of the entrypoint, which a container may replace. @default [] */
  command?: readonly string[]
  /** User and group, as numbers. @default root */
  user?: string
  /** @default {} */
  env?: Readonly<Record<string, string>>
}

/** Images of one layer, which they share. */
export interface ImageContent {
  architecture: 'amd64' | 'arm64'
  entries: readonly TarEntry[]
  images: readonly ImageConfig[]
}

/**
 * An archive of images, as `docker save` writes it and `ctr images import` reads it, as a list of its pieces. The same
 * content is the same archive.
 */
export function dockerArchive({ architecture, entries, images }: ImageContent): Buffer[] {
  const layer = tar(entries)
  const digest = sha256(layer)
  const layerName = `${digest}.tar`
  const configs = images.map((image) => {
    const data = Buffer.from(JSON.stringify(imageConfig(image, { architecture, digest })))
    return { name: image.name, path: `${sha256([data])}.json`, data }
  })
  const manifest = configs.map(({ name, path }) => ({
    Config: path,
    RepoTags: [name],
    Layers: [layerName],
  }))
  return tar([
    { path: layerName, type: 'file', mode: 0o644, data: Buffer.concat(layer) },
    ...configs.map(({ data, path }): TarEntry => ({ path, type: 'file', mode: 0o644, data })),
    {
      path: 'manifest.json',
      type: 'file',
      mode: 0o644,
      data: Buffer.from(JSON.stringify(manifest)),
    },
  ])
}

function imageConfig(
  { command = [], entrypoint = [], env = {}, user = '' }: ImageConfig,
  { architecture, digest }: { architecture: string; digest: string },
) {
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  return {
    architecture,
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config: {
      Env: Object.entries({ PATH: path, ...env }).map(([name, value]) => `${name}=${value}`),
      ...(entrypoint.length === 0 ? {} : { Entrypoint: entrypoint }),
      ...(command.length === 0 ? {} : { Cmd: command }),
      ...(user === '' ? {} : { User: user }),
      WorkingDir: '/',
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'vplane lab' }],
  }
}

function sha256(pieces: readonly Buffer[]): string {
  const hash = createHash('sha256')
  pieces.forEach((piece) => hash.update(piece))
  return hash.digest('hex')
}
