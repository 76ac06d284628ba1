import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeconfigEntry } from '../../../src/kube/host/kubeconfig/kubeconfig-entry.ts'

/** A folder for the files of one test. */
export interface Folder extends AsyncDisposable {
  path: string
  /** Writes a file, JSON when it is no text, and returns its path. */
  write: (name: string, content: string | object) => Promise<string>
}

/** Makes one, which goes with the test. */
export async function makeFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'vplane-kube-'))
  return {
    path,
    write: async (name, content) => {
      const file = join(path, name)
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      await writeFile(file, text, { mode: 0o700 })
      return file
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** A kubeconfig with one context "prod", its cluster and its user. */
export function kubeconfig({
  cluster = {},
  context = {},
  user = {},
}: {
  cluster?: object
  context?: object
  user?: object
}): Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    contexts: [{ name: 'prod', context: { cluster: 'c', user: 'u', ...context } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
    users: [{ name: 'u', user }],
  }
}

/** A user "u" of the kubeconfig `/home/jo/.kube/config`. */
export function userOf(fields: object): KubeconfigEntry {
  return new KubeconfigEntry('user "u"', '/home/jo/.kube/config', fields)
}

/** Base64, as a kubeconfig has its data. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
