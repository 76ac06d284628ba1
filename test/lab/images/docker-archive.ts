import { createHash } from 'node:crypto'
import { tar, type TarEntry } from './tar.ts'

/** What an image is called, holds and runs. */
export interface ImageContent {
  /** With registry and tag: `registry.k8s.io/pause:3.10`. */
  name: string
  architecture: 'amd64' | 'arm64'
  entries: readonly TarEntry[]
  /** @default [] */
  entrypoint?: readonly string[]
  /** User and group, as numbers. @default root */
  user?: string
  /** @default {} */
  env?: Readonly<Record<string, string>>
}

/**
 * An archive with one image of one layer, as `docker save` writes it and `ctr images import` reads it, as a list of its
 * pieces. The same content is the same archive.
 */
export function dockerArchive(content: ImageContent): Buffer[] {
  const layer = tar(content.entries)
  const layerDigest = sha256(layer)
  const config = Buffer.from(JSON.stringify(imageConfig(content, layerDigest)))
  const configName = `${sha256([config])}.json`
  const layerName = `${layerDigest}.tar`
  const manifest = [{ Config: configName, RepoTags: [content.name], Layers: [layerName] }]
  return tar([
    { path: layerName, type: 'file', mode: 0o644, data: Buffer.concat(layer) },
    { path: configName, type: 'file', mode: 0o644, data: config },
    {
      path: 'manifest.json',
      type: 'file',
      mode: 0o644,
      data: Buffer.from(JSON.stringify(manifest)),
    },
  ])
}

function imageConfig(
  { architecture, entrypoint = [], env = {}, user = '' }: ImageContent,
  layerDigest: string,
) {
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  return {
    architecture,
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config: {
      Env: Object.entries({ PATH: path, ...env }).map(([name, value]) => `${name}=${value}`),
      ...(entrypoint.length === 0 ? {} : { Entrypoint: entrypoint }),
      ...(user === '' ? {} : { User: user }),
      WorkingDir: '/',
    },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layerDigest}`] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'vplane lab' }],
  }
}

function sha256(pieces: readonly Buffer[]): string {
  const hash = createHash('sha256')
  pieces.forEach((piece) => hash.update(piece))
  return hash.digest('hex')
}
