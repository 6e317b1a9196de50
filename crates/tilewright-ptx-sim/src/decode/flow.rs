//! Points of reconvergence: the immediate post-dominators of branches.
//!
//! The post-dominator tree is the dominator tree of the reversed graph, found as Cooper, Harvey and Kennedy do ("A
//! Simple, Fast Dominance Algorithm", 2001). The exit is the place after the last instruction.

use super::op::{Inst, Op};

/// Sets `reconverge` of every branch.
pub(super) fn reconverge(insts: &mut [Inst]) {
    let successors: Vec<Vec<u32>> =
        insts.iter().enumerate().map(|(at, inst)| successors(at, inst, insts.len())).collect();
    let post = post_dominators(&successors);
    for (at, inst) in insts.iter_mut().enumerate() {
        if let Op::Branch { reconverge, .. } | Op::BranchTable { reconverge, .. } = &mut inst.op {
            *reconverge = post[at];
        }
    }
}

fn successors(at: usize, inst: &Inst, exit: usize) -> Vec<u32> {
    let mut out = match &inst.op {
        Op::Branch { target, .. } => vec![*target],
        Op::BranchTable { targets, .. } => targets.to_vec(),
        Op::Return | Op::Exit | Op::Trap => vec![exit as u32],
        _ => return vec![at as u32 + 1],
    };
    if inst.guard.is_some() {
        out.push(at as u32 + 1);
    }
    out
}

/// The immediate post-dominator of each place; the exit where none is nearer (or a loop has no way out).
fn post_dominators(successors: &[Vec<u32>]) -> Vec<u32> {
    let exit = successors.len();
    let mut predecessors = vec![Vec::new(); exit + 1];
    for (at, next) in successors.iter().enumerate() {
        for &next in next {
            predecessors[next as usize].push(at as u32);
        }
    }
    // The order of a depth-first walk of the reversed graph from the exit.
    let mut number = vec![u32::MAX; exit + 1];
    let mut order = Vec::new();
    let mut stack = vec![(exit, 0)];
    let mut seen = vec![false; exit + 1];
    seen[exit] = true;
    while let Some((at, child)) = stack.pop() {
        match predecessors[at].get(child) {
            Some(&next) => {
                stack.push((at, child + 1));
                if !std::mem::replace(&mut seen[next as usize], true) {
                    stack.push((next as usize, 0));
                }
            }
            None => {
                number[at] = order.len() as u32;
                order.push(at);
            }
        }
    }
    let mut post = vec![u32::MAX; exit + 1];
    post[exit] = exit as u32;
    let mut changed = true;
    while changed {
        changed = false;
        for &at in order.iter().rev().skip(1) {
            let mut found = u32::MAX;
            for &next in &successors[at] {
                if post[next as usize] != u32::MAX {
                    found = if found == u32::MAX { next } else { meet(&post, &number, found, next) };
                }
            }
            if found != post[at] {
                post[at] = found;
                changed = true;
            }
        }
    }
    post.iter().take(exit).map(|&at| if at == u32::MAX { exit as u32 } else { at }).collect()
}

fn meet(post: &[u32], number: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while number[a as usize] < number[b as usize] {
            a = post[a as usize];
        }
        while number[b as usize] < number[a as usize] {
            b = post[b as usize];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_a_branch_meet_after_it() {
        // 0: branch to 3; 1: …; 2: jump to 4; 3: …; 4: …
        let post = post_dominators(&[vec![3, 1], vec![2], vec![4], vec![4], vec![5]]);
        assert_eq!(post, [4, 2, 4, 4, 5]);
    }

    #[test]
    fn a_loop_ends_where_it_is_left() {
        // 0: …; 1: branch back to 0; 2: …
        assert_eq!(post_dominators(&[vec![1], vec![0, 2], vec![3]]), [1, 2, 3]);
    }

    #[test]
    fn a_loop_without_a_way_out_has_the_exit() {
        assert_eq!(post_dominators(&[vec![2, 1], vec![1], vec![3]]), [2, 3, 3]);
    }
}
