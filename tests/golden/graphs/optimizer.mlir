// torch 2.13

// case: adamw step f32
builtin.module {
  func.func @case(%p: tensor<8192x8192xf32>, %g: tensor<8192x8192xf32>, %m: tensor<8192x8192xf32>, %v: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>) {
    %constant = mlc_tensor.constant 9.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %m, %constant : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-01 : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %g, %constant_1 : tensor<8192x8192xf32>
    %m_1 = mlc_tensor.add %mul, %mul_1 : tensor<8192x8192xf32>
    %constant_2 = mlc_tensor.constant 9.990000e-01 : tensor<8192x8192xf32>
    %mul_2 = mlc_tensor.mul %v, %constant_2 : tensor<8192x8192xf32>
    %mul_3 = mlc_tensor.mul %g, %g : tensor<8192x8192xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-03 : tensor<8192x8192xf32>
    %mul_4 = mlc_tensor.mul %mul_3, %constant_3 : tensor<8192x8192xf32>
    %v_1 = mlc_tensor.add %mul_2, %mul_4 : tensor<8192x8192xf32>
    %constant_4 = mlc_tensor.constant 0.65132153 : tensor<8192x8192xf32>
    %div = mlc_tensor.div %m_1, %constant_4 : tensor<8192x8192xf32>
    %constant_5 = mlc_tensor.constant 0.00995511934 : tensor<8192x8192xf32>
    %div_1 = mlc_tensor.div %v_1, %constant_5 : tensor<8192x8192xf32>
    %sqrt = mlc_tensor.sqrt %div_1 : tensor<8192x8192xf32>
    %constant_6 = mlc_tensor.constant 1.000000e-08 : tensor<8192x8192xf32>
    %add = mlc_tensor.add %sqrt, %constant_6 : tensor<8192x8192xf32>
    %step = mlc_tensor.div %div, %add : tensor<8192x8192xf32>
    %constant_7 = mlc_tensor.constant 9.999900e-01 : tensor<8192x8192xf32>
    %mul_5 = mlc_tensor.mul %p, %constant_7 : tensor<8192x8192xf32>
    %constant_8 = mlc_tensor.constant 1.000000e-03 : tensor<8192x8192xf32>
    %mul_6 = mlc_tensor.mul %step, %constant_8 : tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %mul_5, %mul_6 : tensor<8192x8192xf32>
    func.return %sub, %m_1, %v_1 : tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>
  }
}


// case: adamw step, bf16 gradients
builtin.module {
  func.func @case(%p: tensor<8192x8192xf32>, %g: tensor<8192x8192xbf16>, %m: tensor<8192x8192xf32>, %v: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>) {
    %d = mlc_tensor.cast %g : tensor<8192x8192xbf16> -> tensor<8192x8192xf32>
    %constant = mlc_tensor.constant 9.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %m, %constant : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-01 : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %d, %constant_1 : tensor<8192x8192xf32>
    %m_1 = mlc_tensor.add %mul, %mul_1 : tensor<8192x8192xf32>
    %constant_2 = mlc_tensor.constant 9.990000e-01 : tensor<8192x8192xf32>
    %mul_2 = mlc_tensor.mul %v, %constant_2 : tensor<8192x8192xf32>
    %mul_3 = mlc_tensor.mul %d, %d : tensor<8192x8192xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-03 : tensor<8192x8192xf32>
    %mul_4 = mlc_tensor.mul %mul_3, %constant_3 : tensor<8192x8192xf32>
    %v_1 = mlc_tensor.add %mul_2, %mul_4 : tensor<8192x8192xf32>
    %constant_4 = mlc_tensor.constant 0.65132153 : tensor<8192x8192xf32>
    %div = mlc_tensor.div %m_1, %constant_4 : tensor<8192x8192xf32>
    %constant_5 = mlc_tensor.constant 0.00995511934 : tensor<8192x8192xf32>
    %div_1 = mlc_tensor.div %v_1, %constant_5 : tensor<8192x8192xf32>
    %sqrt = mlc_tensor.sqrt %div_1 : tensor<8192x8192xf32>
    %constant_6 = mlc_tensor.constant 1.000000e-08 : tensor<8192x8192xf32>
    %add = mlc_tensor.add %sqrt, %constant_6 : tensor<8192x8192xf32>
    %step = mlc_tensor.div %div, %add : tensor<8192x8192xf32>
    %constant_7 = mlc_tensor.constant 9.999900e-01 : tensor<8192x8192xf32>
    %mul_5 = mlc_tensor.mul %p, %constant_7 : tensor<8192x8192xf32>
    %constant_8 = mlc_tensor.constant 1.000000e-03 : tensor<8192x8192xf32>
    %mul_6 = mlc_tensor.mul %step, %constant_8 : tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %mul_5, %mul_6 : tensor<8192x8192xf32>
    func.return %sub, %m_1, %v_1 : tensor<8192x8192xf32>, tensor<8192x8192xf32>, tensor<8192x8192xf32>
  }
}


// case: adamw step of a layer f32
builtin.module {
  func.func @case(%args: tensor<1024xf32>, %args_1: tensor<3072x1024xf32>, %args_2: tensor<3072xf32>, %args_3: tensor<1024x1024xf32>, %args_4: tensor<1024xf32>, %args_5: tensor<1024xf32>, %args_6: tensor<4096x1024xf32>, %args_7: tensor<4096xf32>, %args_8: tensor<1024x4096xf32>, %args_9: tensor<1024xf32>, %args_10: tensor<1024xf32>, %args_11: tensor<3072x1024xf32>, %args_12: tensor<3072xf32>, %args_13: tensor<1024x1024xf32>, %args_14: tensor<1024xf32>, %args_15: tensor<1024xf32>, %args_16: tensor<4096x1024xf32>, %args_17: tensor<4096xf32>, %args_18: tensor<1024x4096xf32>, %args_19: tensor<1024xf32>, %args_20: tensor<1024xf32>, %args_21: tensor<3072x1024xf32>, %args_22: tensor<3072xf32>, %args_23: tensor<1024x1024xf32>, %args_24: tensor<1024xf32>, %args_25: tensor<1024xf32>, %args_26: tensor<4096x1024xf32>, %args_27: tensor<4096xf32>, %args_28: tensor<1024x4096xf32>, %args_29: tensor<1024xf32>, %args_30: tensor<1024xf32>, %args_31: tensor<3072x1024xf32>, %args_32: tensor<3072xf32>, %args_33: tensor<1024x1024xf32>, %args_34: tensor<1024xf32>, %args_35: tensor<1024xf32>, %args_36: tensor<4096x1024xf32>, %args_37: tensor<4096xf32>, %args_38: tensor<1024x4096xf32>, %args_39: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<3072x1024xf32>, tensor<3072x1024xf32>, tensor<3072x1024xf32>, tensor<3072xf32>, tensor<3072xf32>, tensor<3072xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>) {
    %constant = mlc_tensor.constant 9.000000e-01 : tensor<1024xf32>
    %mul = mlc_tensor.mul %args_20, %constant : tensor<1024xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-01 : tensor<1024xf32>
    %mul_1 = mlc_tensor.mul %args_10, %constant_1 : tensor<1024xf32>
    %m = mlc_tensor.add %mul, %mul_1 : tensor<1024xf32>
    %constant_2 = mlc_tensor.constant 9.990000e-01 : tensor<1024xf32>
    %mul_2 = mlc_tensor.mul %args_30, %constant_2 : tensor<1024xf32>
    %mul_3 = mlc_tensor.mul %args_10, %args_10 : tensor<1024xf32>
    %constant_3 = mlc_tensor.constant 1.000000e-03 : tensor<1024xf32>
    %mul_4 = mlc_tensor.mul %mul_3, %constant_3 : tensor<1024xf32>
    %v = mlc_tensor.add %mul_2, %mul_4 : tensor<1024xf32>
    %constant_4 = mlc_tensor.constant 0.65132153 : tensor<1024xf32>
    %div = mlc_tensor.div %m, %constant_4 : tensor<1024xf32>
    %constant_5 = mlc_tensor.constant 0.00995511934 : tensor<1024xf32>
    %div_1 = mlc_tensor.div %v, %constant_5 : tensor<1024xf32>
    %sqrt = mlc_tensor.sqrt %div_1 : tensor<1024xf32>
    %constant_6 = mlc_tensor.constant 1.000000e-08 : tensor<1024xf32>
    %add = mlc_tensor.add %sqrt, %constant_6 : tensor<1024xf32>
    %step = mlc_tensor.div %div, %add : tensor<1024xf32>
    %constant_7 = mlc_tensor.constant 9.999900e-01 : tensor<1024xf32>
    %mul_5 = mlc_tensor.mul %args, %constant_7 : tensor<1024xf32>
    %constant_8 = mlc_tensor.constant 1.000000e-03 : tensor<1024xf32>
    %mul_6 = mlc_tensor.mul %step, %constant_8 : tensor<1024xf32>
    %sub = mlc_tensor.sub %mul_5, %mul_6 : tensor<1024xf32>
    %constant_9 = mlc_tensor.constant 9.000000e-01 : tensor<3072x1024xf32>
    %mul_7 = mlc_tensor.mul %args_21, %constant_9 : tensor<3072x1024xf32>
    %constant_10 = mlc_tensor.constant 1.000000e-01 : tensor<3072x1024xf32>
    %mul_8 = mlc_tensor.mul %args_11, %constant_10 : tensor<3072x1024xf32>
    %m_1 = mlc_tensor.add %mul_7, %mul_8 : tensor<3072x1024xf32>
    %constant_11 = mlc_tensor.constant 9.990000e-01 : tensor<3072x1024xf32>
    %mul_9 = mlc_tensor.mul %args_31, %constant_11 : tensor<3072x1024xf32>
    %mul_10 = mlc_tensor.mul %args_11, %args_11 : tensor<3072x1024xf32>
    %constant_12 = mlc_tensor.constant 1.000000e-03 : tensor<3072x1024xf32>
    %mul_11 = mlc_tensor.mul %mul_10, %constant_12 : tensor<3072x1024xf32>
    %v_1 = mlc_tensor.add %mul_9, %mul_11 : tensor<3072x1024xf32>
    %constant_13 = mlc_tensor.constant 0.65132153 : tensor<3072x1024xf32>
    %div_2 = mlc_tensor.div %m_1, %constant_13 : tensor<3072x1024xf32>
    %constant_14 = mlc_tensor.constant 0.00995511934 : tensor<3072x1024xf32>
    %div_3 = mlc_tensor.div %v_1, %constant_14 : tensor<3072x1024xf32>
    %sqrt_1 = mlc_tensor.sqrt %div_3 : tensor<3072x1024xf32>
    %constant_15 = mlc_tensor.constant 1.000000e-08 : tensor<3072x1024xf32>
    %add_1 = mlc_tensor.add %sqrt_1, %constant_15 : tensor<3072x1024xf32>
    %step_1 = mlc_tensor.div %div_2, %add_1 : tensor<3072x1024xf32>
    %constant_16 = mlc_tensor.constant 9.999900e-01 : tensor<3072x1024xf32>
    %mul_12 = mlc_tensor.mul %args_1, %constant_16 : tensor<3072x1024xf32>
    %constant_17 = mlc_tensor.constant 1.000000e-03 : tensor<3072x1024xf32>
    %mul_13 = mlc_tensor.mul %step_1, %constant_17 : tensor<3072x1024xf32>
    %sub_1 = mlc_tensor.sub %mul_12, %mul_13 : tensor<3072x1024xf32>
    %constant_18 = mlc_tensor.constant 9.000000e-01 : tensor<3072xf32>
    %mul_14 = mlc_tensor.mul %args_22, %constant_18 : tensor<3072xf32>
    %constant_19 = mlc_tensor.constant 1.000000e-01 : tensor<3072xf32>
    %mul_15 = mlc_tensor.mul %args_12, %constant_19 : tensor<3072xf32>
    %m_2 = mlc_tensor.add %mul_14, %mul_15 : tensor<3072xf32>
    %constant_20 = mlc_tensor.constant 9.990000e-01 : tensor<3072xf32>
    %mul_16 = mlc_tensor.mul %args_32, %constant_20 : tensor<3072xf32>
    %mul_17 = mlc_tensor.mul %args_12, %args_12 : tensor<3072xf32>
    %constant_21 = mlc_tensor.constant 1.000000e-03 : tensor<3072xf32>
    %mul_18 = mlc_tensor.mul %mul_17, %constant_21 : tensor<3072xf32>
    %v_2 = mlc_tensor.add %mul_16, %mul_18 : tensor<3072xf32>
    %constant_22 = mlc_tensor.constant 0.65132153 : tensor<3072xf32>
    %div_4 = mlc_tensor.div %m_2, %constant_22 : tensor<3072xf32>
    %constant_23 = mlc_tensor.constant 0.00995511934 : tensor<3072xf32>
    %div_5 = mlc_tensor.div %v_2, %constant_23 : tensor<3072xf32>
    %sqrt_2 = mlc_tensor.sqrt %div_5 : tensor<3072xf32>
    %constant_24 = mlc_tensor.constant 1.000000e-08 : tensor<3072xf32>
    %add_2 = mlc_tensor.add %sqrt_2, %constant_24 : tensor<3072xf32>
    %step_2 = mlc_tensor.div %div_4, %add_2 : tensor<3072xf32>
    %constant_25 = mlc_tensor.constant 9.999900e-01 : tensor<3072xf32>
    %mul_19 = mlc_tensor.mul %args_2, %constant_25 : tensor<3072xf32>
    %constant_26 = mlc_tensor.constant 1.000000e-03 : tensor<3072xf32>
    %mul_20 = mlc_tensor.mul %step_2, %constant_26 : tensor<3072xf32>
    %sub_2 = mlc_tensor.sub %mul_19, %mul_20 : tensor<3072xf32>
    %constant_27 = mlc_tensor.constant 9.000000e-01 : tensor<1024x1024xf32>
    %mul_21 = mlc_tensor.mul %args_23, %constant_27 : tensor<1024x1024xf32>
    %constant_28 = mlc_tensor.constant 1.000000e-01 : tensor<1024x1024xf32>
    %mul_22 = mlc_tensor.mul %args_13, %constant_28 : tensor<1024x1024xf32>
    %m_3 = mlc_tensor.add %mul_21, %mul_22 : tensor<1024x1024xf32>
    %constant_29 = mlc_tensor.constant 9.990000e-01 : tensor<1024x1024xf32>
    %mul_23 = mlc_tensor.mul %args_33, %constant_29 : tensor<1024x1024xf32>
    %mul_24 = mlc_tensor.mul %args_13, %args_13 : tensor<1024x1024xf32>
    %constant_30 = mlc_tensor.constant 1.000000e-03 : tensor<1024x1024xf32>
    %mul_25 = mlc_tensor.mul %mul_24, %constant_30 : tensor<1024x1024xf32>
    %v_3 = mlc_tensor.add %mul_23, %mul_25 : tensor<1024x1024xf32>
    %constant_31 = mlc_tensor.constant 0.65132153 : tensor<1024x1024xf32>
    %div_6 = mlc_tensor.div %m_3, %constant_31 : tensor<1024x1024xf32>
    %constant_32 = mlc_tensor.constant 0.00995511934 : tensor<1024x1024xf32>
    %div_7 = mlc_tensor.div %v_3, %constant_32 : tensor<1024x1024xf32>
    %sqrt_3 = mlc_tensor.sqrt %div_7 : tensor<1024x1024xf32>
    %constant_33 = mlc_tensor.constant 1.000000e-08 : tensor<1024x1024xf32>
    %add_3 = mlc_tensor.add %sqrt_3, %constant_33 : tensor<1024x1024xf32>
    %step_3 = mlc_tensor.div %div_6, %add_3 : tensor<1024x1024xf32>
    %constant_34 = mlc_tensor.constant 9.999900e-01 : tensor<1024x1024xf32>
    %mul_26 = mlc_tensor.mul %args_3, %constant_34 : tensor<1024x1024xf32>
    %constant_35 = mlc_tensor.constant 1.000000e-03 : tensor<1024x1024xf32>
    %mul_27 = mlc_tensor.mul %step_3, %constant_35 : tensor<1024x1024xf32>
    %sub_3 = mlc_tensor.sub %mul_26, %mul_27 : tensor<1024x1024xf32>
    %constant_36 = mlc_tensor.constant 9.000000e-01 : tensor<1024xf32>
    %mul_28 = mlc_tensor.mul %args_24, %constant_36 : tensor<1024xf32>
    %constant_37 = mlc_tensor.constant 1.000000e-01 : tensor<1024xf32>
    %mul_29 = mlc_tensor.mul %args_14, %constant_37 : tensor<1024xf32>
    %m_4 = mlc_tensor.add %mul_28, %mul_29 : tensor<1024xf32>
    %constant_38 = mlc_tensor.constant 9.990000e-01 : tensor<1024xf32>
    %mul_30 = mlc_tensor.mul %args_34, %constant_38 : tensor<1024xf32>
    %mul_31 = mlc_tensor.mul %args_14, %args_14 : tensor<1024xf32>
    %constant_39 = mlc_tensor.constant 1.000000e-03 : tensor<1024xf32>
    %mul_32 = mlc_tensor.mul %mul_31, %constant_39 : tensor<1024xf32>
    %v_4 = mlc_tensor.add %mul_30, %mul_32 : tensor<1024xf32>
    %constant_40 = mlc_tensor.constant 0.65132153 : tensor<1024xf32>
    %div_8 = mlc_tensor.div %m_4, %constant_40 : tensor<1024xf32>
    %constant_41 = mlc_tensor.constant 0.00995511934 : tensor<1024xf32>
    %div_9 = mlc_tensor.div %v_4, %constant_41 : tensor<1024xf32>
    %sqrt_4 = mlc_tensor.sqrt %div_9 : tensor<1024xf32>
    %constant_42 = mlc_tensor.constant 1.000000e-08 : tensor<1024xf32>
    %add_4 = mlc_tensor.add %sqrt_4, %constant_42 : tensor<1024xf32>
    %step_4 = mlc_tensor.div %div_8, %add_4 : tensor<1024xf32>
    %constant_43 = mlc_tensor.constant 9.999900e-01 : tensor<1024xf32>
    %mul_33 = mlc_tensor.mul %args_4, %constant_43 : tensor<1024xf32>
    %constant_44 = mlc_tensor.constant 1.000000e-03 : tensor<1024xf32>
    %mul_34 = mlc_tensor.mul %step_4, %constant_44 : tensor<1024xf32>
    %sub_4 = mlc_tensor.sub %mul_33, %mul_34 : tensor<1024xf32>
    %constant_45 = mlc_tensor.constant 9.000000e-01 : tensor<1024xf32>
    %mul_35 = mlc_tensor.mul %args_25, %constant_45 : tensor<1024xf32>
    %constant_46 = mlc_tensor.constant 1.000000e-01 : tensor<1024xf32>
    %mul_36 = mlc_tensor.mul %args_15, %constant_46 : tensor<1024xf32>
    %m_5 = mlc_tensor.add %mul_35, %mul_36 : tensor<1024xf32>
    %constant_47 = mlc_tensor.constant 9.990000e-01 : tensor<1024xf32>
    %mul_37 = mlc_tensor.mul %args_35, %constant_47 : tensor<1024xf32>
    %mul_38 = mlc_tensor.mul %args_15, %args_15 : tensor<1024xf32>
    %constant_48 = mlc_tensor.constant 1.000000e-03 : tensor<1024xf32>
    %mul_39 = mlc_tensor.mul %mul_38, %constant_48 : tensor<1024xf32>
    %v_5 = mlc_tensor.add %mul_37, %mul_39 : tensor<1024xf32>
    %constant_49 = mlc_tensor.constant 0.65132153 : tensor<1024xf32>
    %div_10 = mlc_tensor.div %m_5, %constant_49 : tensor<1024xf32>
    %constant_50 = mlc_tensor.constant 0.00995511934 : tensor<1024xf32>
    %div_11 = mlc_tensor.div %v_5, %constant_50 : tensor<1024xf32>
    %sqrt_5 = mlc_tensor.sqrt %div_11 : tensor<1024xf32>
    %constant_51 = mlc_tensor.constant 1.000000e-08 : tensor<1024xf32>
    %add_5 = mlc_tensor.add %sqrt_5, %constant_51 : tensor<1024xf32>
    %step_5 = mlc_tensor.div %div_10, %add_5 : tensor<1024xf32>
    %constant_52 = mlc_tensor.constant 9.999900e-01 : tensor<1024xf32>
    %mul_40 = mlc_tensor.mul %args_5, %constant_52 : tensor<1024xf32>
    %constant_53 = mlc_tensor.constant 1.000000e-03 : tensor<1024xf32>
    %mul_41 = mlc_tensor.mul %step_5, %constant_53 : tensor<1024xf32>
    %sub_5 = mlc_tensor.sub %mul_40, %mul_41 : tensor<1024xf32>
    %constant_54 = mlc_tensor.constant 9.000000e-01 : tensor<4096x1024xf32>
    %mul_42 = mlc_tensor.mul %args_26, %constant_54 : tensor<4096x1024xf32>
    %constant_55 = mlc_tensor.constant 1.000000e-01 : tensor<4096x1024xf32>
    %mul_43 = mlc_tensor.mul %args_16, %constant_55 : tensor<4096x1024xf32>
    %m_6 = mlc_tensor.add %mul_42, %mul_43 : tensor<4096x1024xf32>
    %constant_56 = mlc_tensor.constant 9.990000e-01 : tensor<4096x1024xf32>
    %mul_44 = mlc_tensor.mul %args_36, %constant_56 : tensor<4096x1024xf32>
    %mul_45 = mlc_tensor.mul %args_16, %args_16 : tensor<4096x1024xf32>
    %constant_57 = mlc_tensor.constant 1.000000e-03 : tensor<4096x1024xf32>
    %mul_46 = mlc_tensor.mul %mul_45, %constant_57 : tensor<4096x1024xf32>
    %v_6 = mlc_tensor.add %mul_44, %mul_46 : tensor<4096x1024xf32>
    %constant_58 = mlc_tensor.constant 0.65132153 : tensor<4096x1024xf32>
    %div_12 = mlc_tensor.div %m_6, %constant_58 : tensor<4096x1024xf32>
    %constant_59 = mlc_tensor.constant 0.00995511934 : tensor<4096x1024xf32>
    %div_13 = mlc_tensor.div %v_6, %constant_59 : tensor<4096x1024xf32>
    %sqrt_6 = mlc_tensor.sqrt %div_13 : tensor<4096x1024xf32>
    %constant_60 = mlc_tensor.constant 1.000000e-08 : tensor<4096x1024xf32>
    %add_6 = mlc_tensor.add %sqrt_6, %constant_60 : tensor<4096x1024xf32>
    %step_6 = mlc_tensor.div %div_12, %add_6 : tensor<4096x1024xf32>
    %constant_61 = mlc_tensor.constant 9.999900e-01 : tensor<4096x1024xf32>
    %mul_47 = mlc_tensor.mul %args_6, %constant_61 : tensor<4096x1024xf32>
    %constant_62 = mlc_tensor.constant 1.000000e-03 : tensor<4096x1024xf32>
    %mul_48 = mlc_tensor.mul %step_6, %constant_62 : tensor<4096x1024xf32>
    %sub_6 = mlc_tensor.sub %mul_47, %mul_48 : tensor<4096x1024xf32>
    %constant_63 = mlc_tensor.constant 9.000000e-01 : tensor<4096xf32>
    %mul_49 = mlc_tensor.mul %args_27, %constant_63 : tensor<4096xf32>
    %constant_64 = mlc_tensor.constant 1.000000e-01 : tensor<4096xf32>
    %mul_50 = mlc_tensor.mul %args_17, %constant_64 : tensor<4096xf32>
    %m_7 = mlc_tensor.add %mul_49, %mul_50 : tensor<4096xf32>
    %constant_65 = mlc_tensor.constant 9.990000e-01 : tensor<4096xf32>
    %mul_51 = mlc_tensor.mul %args_37, %constant_65 : tensor<4096xf32>
    %mul_52 = mlc_tensor.mul %args_17, %args_17 : tensor<4096xf32>
    %constant_66 = mlc_tensor.constant 1.000000e-03 : tensor<4096xf32>
    %mul_53 = mlc_tensor.mul %mul_52, %constant_66 : tensor<4096xf32>
    %v_7 = mlc_tensor.add %mul_51, %mul_53 : tensor<4096xf32>
    %constant_67 = mlc_tensor.constant 0.65132153 : tensor<4096xf32>
    %div_14 = mlc_tensor.div %m_7, %constant_67 : tensor<4096xf32>
    %constant_68 = mlc_tensor.constant 0.00995511934 : tensor<4096xf32>
    %div_15 = mlc_tensor.div %v_7, %constant_68 : tensor<4096xf32>
    %sqrt_7 = mlc_tensor.sqrt %div_15 : tensor<4096xf32>
    %constant_69 = mlc_tensor.constant 1.000000e-08 : tensor<4096xf32>
    %add_7 = mlc_tensor.add %sqrt_7, %constant_69 : tensor<4096xf32>
    %step_7 = mlc_tensor.div %div_14, %add_7 : tensor<4096xf32>
    %constant_70 = mlc_tensor.constant 9.999900e-01 : tensor<4096xf32>
    %mul_54 = mlc_tensor.mul %args_7, %constant_70 : tensor<4096xf32>
    %constant_71 = mlc_tensor.constant 1.000000e-03 : tensor<4096xf32>
    %mul_55 = mlc_tensor.mul %step_7, %constant_71 : tensor<4096xf32>
    %sub_7 = mlc_tensor.sub %mul_54, %mul_55 : tensor<4096xf32>
    %constant_72 = mlc_tensor.constant 9.000000e-01 : tensor<1024x4096xf32>
    %mul_56 = mlc_tensor.mul %args_28, %constant_72 : tensor<1024x4096xf32>
    %constant_73 = mlc_tensor.constant 1.000000e-01 : tensor<1024x4096xf32>
    %mul_57 = mlc_tensor.mul %args_18, %constant_73 : tensor<1024x4096xf32>
    %m_8 = mlc_tensor.add %mul_56, %mul_57 : tensor<1024x4096xf32>
    %constant_74 = mlc_tensor.constant 9.990000e-01 : tensor<1024x4096xf32>
    %mul_58 = mlc_tensor.mul %args_38, %constant_74 : tensor<1024x4096xf32>
    %mul_59 = mlc_tensor.mul %args_18, %args_18 : tensor<1024x4096xf32>
    %constant_75 = mlc_tensor.constant 1.000000e-03 : tensor<1024x4096xf32>
    %mul_60 = mlc_tensor.mul %mul_59, %constant_75 : tensor<1024x4096xf32>
    %v_8 = mlc_tensor.add %mul_58, %mul_60 : tensor<1024x4096xf32>
    %constant_76 = mlc_tensor.constant 0.65132153 : tensor<1024x4096xf32>
    %div_16 = mlc_tensor.div %m_8, %constant_76 : tensor<1024x4096xf32>
    %constant_77 = mlc_tensor.constant 0.00995511934 : tensor<1024x4096xf32>
    %div_17 = mlc_tensor.div %v_8, %constant_77 : tensor<1024x4096xf32>
    %sqrt_8 = mlc_tensor.sqrt %div_17 : tensor<1024x4096xf32>
    %constant_78 = mlc_tensor.constant 1.000000e-08 : tensor<1024x4096xf32>
    %add_8 = mlc_tensor.add %sqrt_8, %constant_78 : tensor<1024x4096xf32>
    %step_8 = mlc_tensor.div %div_16, %add_8 : tensor<1024x4096xf32>
    %constant_79 = mlc_tensor.constant 9.999900e-01 : tensor<1024x4096xf32>
    %mul_61 = mlc_tensor.mul %args_8, %constant_79 : tensor<1024x4096xf32>
    %constant_80 = mlc_tensor.constant 1.000000e-03 : tensor<1024x4096xf32>
    %mul_62 = mlc_tensor.mul %step_8, %constant_80 : tensor<1024x4096xf32>
    %sub_8 = mlc_tensor.sub %mul_61, %mul_62 : tensor<1024x4096xf32>
    %constant_81 = mlc_tensor.constant 9.000000e-01 : tensor<1024xf32>
    %mul_63 = mlc_tensor.mul %args_29, %constant_81 : tensor<1024xf32>
    %constant_82 = mlc_tensor.constant 1.000000e-01 : tensor<1024xf32>
    %mul_64 = mlc_tensor.mul %args_19, %constant_82 : tensor<1024xf32>
    %m_9 = mlc_tensor.add %mul_63, %mul_64 : tensor<1024xf32>
    %constant_83 = mlc_tensor.constant 9.990000e-01 : tensor<1024xf32>
    %mul_65 = mlc_tensor.mul %args_39, %constant_83 : tensor<1024xf32>
    %mul_66 = mlc_tensor.mul %args_19, %args_19 : tensor<1024xf32>
    %constant_84 = mlc_tensor.constant 1.000000e-03 : tensor<1024xf32>
    %mul_67 = mlc_tensor.mul %mul_66, %constant_84 : tensor<1024xf32>
    %v_9 = mlc_tensor.add %mul_65, %mul_67 : tensor<1024xf32>
    %constant_85 = mlc_tensor.constant 0.65132153 : tensor<1024xf32>
    %div_18 = mlc_tensor.div %m_9, %constant_85 : tensor<1024xf32>
    %constant_86 = mlc_tensor.constant 0.00995511934 : tensor<1024xf32>
    %div_19 = mlc_tensor.div %v_9, %constant_86 : tensor<1024xf32>
    %sqrt_9 = mlc_tensor.sqrt %div_19 : tensor<1024xf32>
    %constant_87 = mlc_tensor.constant 1.000000e-08 : tensor<1024xf32>
    %add_9 = mlc_tensor.add %sqrt_9, %constant_87 : tensor<1024xf32>
    %step_9 = mlc_tensor.div %div_18, %add_9 : tensor<1024xf32>
    %constant_88 = mlc_tensor.constant 9.999900e-01 : tensor<1024xf32>
    %mul_68 = mlc_tensor.mul %args_9, %constant_88 : tensor<1024xf32>
    %constant_89 = mlc_tensor.constant 1.000000e-03 : tensor<1024xf32>
    %mul_69 = mlc_tensor.mul %step_9, %constant_89 : tensor<1024xf32>
    %sub_9 = mlc_tensor.sub %mul_68, %mul_69 : tensor<1024xf32>
    func.return %sub, %m, %v, %sub_1, %m_1, %v_1, %sub_2, %m_2, %v_2, %sub_3, %m_3, %v_3, %sub_4, %m_4, %v_4, %sub_5, %m_5, %v_5, %sub_6, %m_6, %v_6, %sub_7, %m_7, %v_7, %sub_8, %m_8, %v_8, %sub_9, %m_9, %v_9 : tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<3072x1024xf32>, tensor<3072x1024xf32>, tensor<3072x1024xf32>, tensor<3072xf32>, tensor<3072xf32>, tensor<3072xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<4096x1024xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024x4096xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<1024xf32>
  }
}


// case: momentum step f32
builtin.module {
  func.func @case(%p: tensor<8192x8192xf32>, %g: tensor<8192x8192xf32>, %m: tensor<8192x8192xf32>) -> (tensor<8192x8192xf32>, tensor<8192x8192xf32>) {
    %constant = mlc_tensor.constant 9.000000e-01 : tensor<8192x8192xf32>
    %mul = mlc_tensor.mul %m, %constant : tensor<8192x8192xf32>
    %m_1 = mlc_tensor.add %mul, %g : tensor<8192x8192xf32>
    %constant_1 = mlc_tensor.constant 1.000000e-02 : tensor<8192x8192xf32>
    %mul_1 = mlc_tensor.mul %m_1, %constant_1 : tensor<8192x8192xf32>
    %sub = mlc_tensor.sub %p, %mul_1 : tensor<8192x8192xf32>
    func.return %sub, %m_1 : tensor<8192x8192xf32>, tensor<8192x8192xf32>
  }
}
