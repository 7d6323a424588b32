import { execFile } from 'node:child_process';

/** Resident memory of a process, in bytes; null when it is gone, or `ps` is not there. */
export function residentBytes(pid: number): Promise<number | null> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) => {
      const kilobytes = Number(stdout.trim());
      resolve(error === null && kilobytes > 0 ? kilobytes * 1024 : null);
    });
  });
}
