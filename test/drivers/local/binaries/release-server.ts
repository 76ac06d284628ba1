import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { tar } from '../../../lab/images/tar.ts'

export interface ServedFile {
  body: Buffer
  etag?: string
  /** Sends only this many bytes of an answer until `drop`, once for each number. 0 drops at once. */
  cuts?: number[]
  /** Statuses of the first answers, before the file is served. */
  statuses?: number[]
  location?: string
  isSilent?: boolean
}

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
}

export interface ReleaseServer extends AsyncDisposable {
  url: string
  files: Map<string, ServedFile>
  requests: ReceivedRequest[]
  /** The requested paths, in order. */
  paths(): string[]
  /** Drops the connections of incomplete answers. */
  drop(): void
}

/** Serves `files` as dl.k8s.io and github.com on a free loopback port; other paths are a 404. */
export async function startReleaseServer(): Promise<ReleaseServer> {
  const files = new Map<string, ServedFile>()
  const requests: ReceivedRequest[] = []
  const held = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const path = URL.parse(request.url ?? '/', 'http://localhost')?.pathname ?? '/'
    requests.push({ method: request.method ?? '', path, headers: request.headers })
    answer(files.get(path), { held, request, response })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    files,
    requests,
    paths: () => requests.map(({ path }) => path),
    drop: () => {
      for (const response of held) {
        response.destroy()
      }
      held.clear()
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

export function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Serves a binary of Kubernetes and its checksum as dl.k8s.io does. */
export function serveKubernetesBinary(
  { files }: Pick<ReleaseServer, 'files'>,
  name: string,
  file: Partial<ServedFile> & { version?: string; checksum?: string } = {},
): string {
  const { version = '1.36.3', checksum, ...served } = file
  const body = served.body ?? Buffer.from(`#!/bin/sh\necho ${name} ${version}\n`)
  const path = `/dl.k8s.io/release/v${version}/bin/linux/amd64/${name}`
  files.set(path, { ...served, body })
  files.set(`${path}.sha256`, { body: Buffer.from(checksum ?? sha256(body)) })
  return path
}

/** Serves etcd 3.6.16 and its checksum as github.com does; returns their folder. */
export function serveEtcdArchive(
  { files }: Pick<ReleaseServer, 'files'>,
  entries = ['etcd', 'etcdutl', 'etcdctl'].map((name) => ({
    path: `etcd-v3.6.16-linux-amd64/${name}`,
    data: Buffer.from(name),
  })),
): string {
  const folder = '/github.com/etcd-io/etcd/releases/download/v3.6.16'
  const archive = 'etcd-v3.6.16-linux-amd64.tar.gz'
  const pieces = tar([
    { path: 'etcd-v3.6.16-linux-amd64', type: 'folder' },
    ...entries.map((entry) => ({ ...entry, type: 'file' as const })),
  ])
  const body = gzipSync(Buffer.concat(pieces))
  files.set(`${folder}/${archive}`, { body, etag: '"v1"' })
  files.set(`${folder}/SHA256SUMS`, {
    body: Buffer.from(`${'0'.repeat(64)}  other.zip\n${sha256(body)}  ${archive}\n`),
  })
  return folder
}

export function sha256(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** The answers that wait for `drop`. */
  held: Set<ServerResponse>
}

function answer(file: ServedFile | undefined, { held, request, response }: Exchange): void {
  if (file?.isSilent === true) {
    return
  }
  const status = file?.statuses?.shift() ?? (file === undefined ? 404 : 200)
  if (file === undefined || status !== 200) {
    response.writeHead(status).end(`status ${status}`)
    return
  }
  if (file.location !== undefined) {
    response.writeHead(302, { location: file.location }).end()
    return
  }
  const start = startOf(file, request)
  const body = file.body.subarray(start)
  const range = `bytes ${start}-${file.body.length - 1}/${file.body.length}`
  response.writeHead(start > 0 ? 206 : 200, {
    'content-length': body.length,
    ...(start > 0 ? { 'content-range': range } : {}),
    ...(file.etag === undefined ? {} : { etag: file.etag }),
  })
  const cut = file.cuts?.shift()
  if (cut === undefined) {
    response.end(body)
  } else if (cut === 0) {
    response.destroy()
  } else {
    held.add(response)
    response.write(body.subarray(0, cut))
  }
}

/** The start of the answer: a range applies only when the client has the same file. */
function startOf({ body, etag }: ServedFile, { headers }: IncomingMessage): number {
  const [, start] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? []
  const isSame = etag !== undefined && headers['if-range'] === etag
  return start !== undefined && isSame && Number(start) < body.length ? Number(start) : 0
}
