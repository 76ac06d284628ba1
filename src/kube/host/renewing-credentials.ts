import type { CredentialSource } from '../connection.ts'

/** Credentials as a kubeconfig has them at one moment. */
export interface LoadedCredentials {
  source: CredentialSource
  /** The kubeconfigs that they were created from: another text may give others. */
  text: string
}

/**
 * Credentials that are loaded again when the server refuses them and the kubeconfig has changed: many logins write their
 * token there.
 *
 * @param load creates them from the current kubeconfig; undefined when that names another server.
 */
export function renewingCredentials(
  loaded: LoadedCredentials,
  load: () => Promise<LoadedCredentials | undefined>,
): CredentialSource {
  let present = loaded
  return {
    current: () => present.source.current(),
    renew: async (refused) => {
      const next = await load()
      if (next === undefined || next.text === present.text) {
        return present.source.renew(refused)
      }
      present = next
      return true
    },
    denial: (refusal) => present.source.denial(refusal),
  }
}
