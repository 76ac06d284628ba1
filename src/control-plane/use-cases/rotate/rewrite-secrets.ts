import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import { unlessMissing } from '../../api/unless-missing.ts'
import type { StoredSecrets } from '../../driver/plane-certificates.ts'
import { fieldAt, arrayAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

const AT_ONCE = 8

const NAMED = 5

export interface RewriteSecretsOptions {
  /** Reads from etcd how Secrets are stored. */
  readStored: () => Promise<StoredSecrets>
  ui: Pick<Ui, 'progress' | 'step'>
  signal: AbortSignal
}

/**
 * Writes every Secret again that is encrypted with another key, and returns when etcd has none of these any more. Only
 * the resource version of a Secret changes.
 * @throws {VplaneError} `FAILED` when some keep the old key or not all are found, and the error of an API that refuses
 * one.
 */
export async function rewriteSecrets(
  api: Pick<PlaneApi, 'get' | 'patch'>,
  { readStored, signal, ui }: RewriteSecretsOptions,
): Promise<void> {
  ui.step('Encrypting Secrets with the new key')
  const present = await countSecrets(api, signal)
  let stored = await readStored()
  while (stored.stale.length > 0) {
    const { stale } = stored
    await rewrite(api, stale, { signal, ui })
    stored = await readStored()
    if (stored.stale.some((name) => stale.includes(name))) {
      throw stillStale(stored.stale)
    }
  }
  if (stored.count < present) {
    const message = `etcd has ${stored.count} Secrets, but the API has ${present}: they are stored elsewhere, or some were deleted just now`
    throw new VplaneError('FAILED', message, {
      hints: ['the old key is kept: run the command again'],
    })
  }
}

/** The number of Secrets in the API: the check of etcd must have found all of them. */
async function countSecrets(api: Pick<PlaneApi, 'get'>, signal: AbortSignal): Promise<number> {
  const list = await api.get('/api/v1/secrets?limit=1', { signal })
  const more = Number(fieldAt(list, 'metadata', 'remainingItemCount') ?? 0)
  return arrayAt(list, 'items').length + more
}

async function rewrite(
  api: Pick<PlaneApi, 'patch'>,
  names: readonly string[],
  { signal, ui }: Pick<RewriteSecretsOptions, 'signal' | 'ui'>,
): Promise<void> {
  for (let done = 0; done < names.length; done += AT_ONCE) {
    const next = names.slice(done, done + AT_ONCE)
    await Promise.all(next.map((name) => touch(api, name, signal)))
    ui.progress(`${done + next.length} of ${names.length}`)
  }
}

/** An empty patch writes a Secret that was not encrypted with the first key. */
async function touch(
  api: Pick<PlaneApi, 'patch'>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const [namespace = '', secret = ''] = name.split('/')
  const path = objectPath('secrets', { name: secret, namespace })
  // Of one that was deleted meanwhile, no old copy remains.
  await unlessMissing(api.patch(path, {}, { type: 'merge', signal }))
}

function stillStale(left: readonly string[]): VplaneError {
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : ''
  const message = `etcd still has Secrets encrypted with another key: ${left.slice(0, NAMED).join(', ')}${more}`
  return new VplaneError('FAILED', message, {
    hints: ['the old key is kept: run the command again'],
  })
}
