import { ask, type PlaneUser } from '../driver/plane-requests.ts'

/**
 * The ConfigMaps of a namespace as a streamed list: the text of a watch up to the bookmark after the last of them. Newer clients ask
 * for it first.
 */
export async function streamedList(user: PlaneUser, namespace = 'default'): Promise<string> {
  const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true'
  const path = `/api/v1/namespaces/${namespace}/configmaps?${query}&resourceVersionMatch=NotOlderThan`
  const answer = await ask(user, path)
  let text = ''
  for await (const chunk of answer) {
    text += String(chunk)
    if (text.includes('k8s.io/initial-events-end')) {
      break
    }
  }
  return text
}
