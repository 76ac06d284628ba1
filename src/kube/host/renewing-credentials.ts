import type { CredentialSource } from '../connection.ts'

/** Credentials as a kubeconfig has them at one moment. */
export interface LoadedCredentials {
  source: CredentialSource
  /** What they were made from: another text may make others. */
  text: string
}

/**
 * Credentials that are made anew when the server refuses them and the kubeconfig has changed meanwhile: many logins write
 * their token there.
 *
 * @param load makes them of the kubeconfig as it is now; undefined when that leads to another server, whose credentials
 *   are not for this one.
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
