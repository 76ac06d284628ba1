/**
 * A script for Node.js that prints the status of the answer to a request. On a busy machine, a start of a plane takes
 * longer than a connection is held: a client that was refused after 9 s comes again, ten times at most.
 */
export function patientFetch(url: string, headers: Record<string, string> = {}): string {
  return `
    const init = { headers: ${JSON.stringify(headers)} }
    for (let tries = 1; ; tries += 1) {
      try {
        console.log((await fetch(${JSON.stringify(url)}, init)).status)
        break
      } catch (error) {
        if (tries === 10) throw error
      }
    }`
}
