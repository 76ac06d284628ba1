import { readFile, writeFile } from 'node:fs/promises'

const LIMIT = '/proc/sys/fs/inotify/max_user_instances'

/** With the 128 of most systems, a fourth cluster has none left: its containerd does not serve. */
const NEEDED = 1024

/** Lets the processes of a user watch more files, unless they may already or the machine does not allow the change. */
export async function raiseInotifyLimit(limit = LIMIT): Promise<void> {
  if (Number(await readFile(limit, 'utf8')) < NEEDED) {
    await writeFile(limit, `${NEEDED}\n`).catch(() => {
      // Few clusters need no more.
    })
  }
}
