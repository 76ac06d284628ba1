import { get } from 'node:https'

/** The status of an answer to an anonymous client, or why there is none. */
export function outcomeOf(url: URL): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(String(response.statusCode))
    })
    request.on('error', ({ message }) => resolve(message))
  })
}
