/** Calls that come later, and can be taken back. */

/**
 * Before the next paint. A hidden page gets no frames: the state goes on, and the views hear of it when the
 * page is seen again.
 */
export function animationFrame(callback: () => void): () => void {
  const id = requestAnimationFrame(callback);
  return () => cancelAnimationFrame(id);
}

export function timer(seconds: number, callback: () => void): () => void {
  const id = setTimeout(callback, seconds * 1000);
  return () => clearTimeout(id);
}
