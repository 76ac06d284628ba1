import { VplaneError } from '../../../shared/errors.ts'
import type { Ui } from '../../../shared/ui.ts'
import type { PlaneApi } from '../../api/plane-api.ts'
import type { StoredSecrets } from '../../driver/plane-certificates.ts'
import { fieldAt, arrayAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

/** How many are on their way at once. */
const AT_ONCE = 8

/** How many are named in an error. */
const NAMED = 5

export interface RewriteSecretsOptions {
  /** Looks in etcd how Secrets are stored. */
  look: () => Promise<StoredSecrets>
  ui: Pick<Ui, 'progress' | 'step'>
  signal: AbortSignal
}

/**
 * Has the API write every Secret again that etcd holds by another key, and returns when etcd holds none such any more. A
 * Secret stays as it is but for its resource version.
 *
 * @throws {VplaneError} `FAILED` when some stay as they are or not all are found, and what the API says that refuses one.
 */
export async function rewriteSecrets(
  api: Pick<PlaneApi, 'get' | 'patch'>,
  { look, signal, ui }: RewriteSecretsOptions,
): Promise<void> {
  ui.step('Encrypting Secrets with the new key')
  const present = await countSecrets(api, signal)
  let stored = await look()
  while (stored.stale.length > 0) {
    const { stale } = stored
    await rewrite(api, stale, { signal, ui })
    stored = await look()
    if (stored.stale.some((name) => stale.includes(name))) {
      throw stillStale(stored.stale)
    }
  }
  if (stored.count < present) {
    throw new VplaneError(
      'FAILED',
      `etcd shows ${stored.count} Secrets where the API has ${present}: they are stored elsewhere, or some were deleted just now`,
      { hints: ['the old key is kept: run the command again'] },
    )
  }
}

/** How many Secrets there are by the API: what is looked at in etcd has to be all of them. */
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

/** What changes nothing is written all the same when it was not encrypted with the first key. */
async function touch(
  api: Pick<PlaneApi, 'patch'>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const [namespace = '', secret = ''] = name.split('/')
  try {
    const path = objectPath('secrets', { name: secret, namespace })
    await api.patch(path, {}, { type: 'merge', signal })
  } catch (error) {
    if (!(error instanceof VplaneError) || error.code !== 'NOT_FOUND') {
      throw error
    }
    // It was deleted meanwhile, which does as well.
  }
}

function stillStale(left: readonly string[]): VplaneError {
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : ''
  return new VplaneError(
    'FAILED',
    `etcd still holds Secrets by another key: ${left.slice(0, NAMED).join(', ')}${more}`,
    { hints: ['the old key is kept: run the command again'] },
  )
}
